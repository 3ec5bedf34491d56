// SPDX-License-Identifier: GPL-3.0-or-later
// node compare.js HIST_TOOL: histograms written by us and read by hdr-histogram-js, and the other way round.
"use strict";
const { execFileSync } = require("node:child_process");
const assert = require("node:assert");
const hdr = require("hdr-histogram-js");

const tool = process.argv[2];
const HOUR = 3600000000000;
const PERCENTILES = [1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100];

function random(seed) {
    // Park and Miller's generator: the same values in every run.
    let state = seed;
    return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

function build(options = {}) {
    return hdr.build({ bitBucketSize: 64, lowestDiscernibleValue: 1, highestTrackableValue: HOUR,
                       numberOfSignificantValueDigits: 3, ...options });
}

const SETS = {
    "one value": () => [[1000000, 1]],
    "zero": () => [[0, 3]],
    "an hour": () => [[1, 1], [HOUR, 2]],
    "900 x 1 ms and 100 x 100 ms": () => [[1000000, 900], [100000000, 100]],
    "borders of slots": () => {
        const values = [];
        for (let bit = 0; bit < 42; bit++)
            for (const step of [-1, 0, 1])
                values.push([Math.max(0, 2 ** bit + step), bit + 2 + step]);
        return values.filter(([v]) => v <= HOUR);
    },
    "counts of many bytes": () => [[5, 127], [500, 128], [50000, 16384], [5000000, 2 ** 31], [500000000, 2 ** 33], [50, 2 ** 50]],
    "exponential around 5 ms": () => {
        const next = random(7);
        return Array.from({ length: 20000 }, () => [Math.floor(-Math.log(1 - next()) * 5e6), 1]);
    },
    "everything from a nanosecond to an hour": () => {
        const next = random(11);
        return Array.from({ length: 20000 }, () => [Math.floor(Math.exp(next() * Math.log(HOUR))), 1]);
    },
    "nothing": () => [],
};

function run(command, input) {
    return execFileSync(tool, [command], { input, encoding: "utf8", maxBuffer: 1 << 28 });
}

function ours(text) {
    const result = { percentiles: {}, slots: [] };
    for (const line of run("decode", text).trim().split("\n")) {
        const [what, ...numbers] = line.split(" ");
        if (what === "count") result.count = Number(numbers[0]);
        else if (what === "p") result.percentiles[numbers[0]] = Number(numbers[1]);
        else result.slots.push(numbers.map(Number));
    }
    return result;
}

function theirSlots(histogram) {
    const slots = [];
    // Its iterator of recorded values, slot by slot.
    const it = new (require("hdr-histogram-js/dist/RecordedValuesIterator").default)(histogram);
    while (it.hasNext()) {
        const step = it.next();
        slots.push([histogram.lowestEquivalentValue(step.valueIteratedTo), histogram.highestEquivalentValue(step.valueIteratedTo),
                    step.countAtValueIteratedTo]);
    }
    return slots;
}

let checks = 0;
for (const [name, make] of Object.entries(SETS)) {
    const values = make();
    const reference = build();
    for (const [value, count] of values) reference.recordValueWithCount(value, count);

    // Written by us, read there: slot by slot, and every percentile.
    const written = run("encode", values.map(([v, n]) => `${v} ${n}\n`).join("")).trim();
    const there = hdr.decodeFromCompressedBase64(written, 64);
    assert.strictEqual(there.totalCount, reference.totalCount, `${name}: total count`);
    assert.deepStrictEqual(theirSlots(there), theirSlots(reference), `${name}: slots of what we wrote`);
    for (const p of PERCENTILES)
        assert.strictEqual(there.getValueAtPercentile(p), reference.getValueAtPercentile(p), `${name}: p${p} of what we wrote`);

    // Written there, read by us.
    const here = ours(hdr.encodeIntoCompressedBase64(reference));
    assert.strictEqual(here.count, reference.totalCount, `${name}: count of what we read`);
    assert.deepStrictEqual(here.slots, theirSlots(reference), `${name}: slots of what we read`);
    for (const p of PERCENTILES)
        assert.strictEqual(here.percentiles[p], Math.min(HOUR, reference.getValueAtPercentile(p)), `${name}: p${p} of what we read`);
    checks += 2 + 2 * PERCENTILES.length;
}

// Histograms of other shapes, as other programs store them. Within a slot of theirs, and no worse than a slot of ours.
const SHAPES = [
    { numberOfSignificantValueDigits: 1 }, { numberOfSignificantValueDigits: 2 }, { numberOfSignificantValueDigits: 4 },
    { numberOfSignificantValueDigits: 5 }, { lowestDiscernibleValue: 1000 }, { highestTrackableValue: 1e15 },
    { autoResize: true, highestTrackableValue: 2 }, { bitBucketSize: 32 }, { bitBucketSize: "packed" },
];
for (const shape of SHAPES) {
    const next = random(3);
    const reference = build(shape);
    for (let i = 0; i < 5000; i++) reference.recordValue(1000 + Math.floor(-Math.log(1 - next()) * 3e6));
    const here = ours(hdr.encodeIntoCompressedBase64(reference));
    assert.strictEqual(here.count, reference.totalCount, JSON.stringify(shape));
    for (const p of PERCENTILES) {
        const high = reference.highestEquivalentValue(reference.getValueAtPercentile(p));
        const low = reference.lowestEquivalentValue(high);
        const got = here.percentiles[p];
        assert.ok(got >= low * 0.999 && got <= high * 1.001, `${JSON.stringify(shape)}: p${p} is ${got}, not ${low} ... ${high}`);
    }
    checks += 1 + PERCENTILES.length;
}
console.log(`${checks} checks against hdr-histogram-js ${require("hdr-histogram-js/package.json").version}`);
