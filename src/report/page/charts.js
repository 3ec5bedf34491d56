// SPDX-License-Identifier: GPL-3.0-or-later
// The charts: each <figure data-chart="KIND" data-key="KEY"> is drawn by DRAW[KIND] from the member KEY of #figures. No figure
// is made here; texts of others are escaped, or drawn as text.
const plimsollCharts = (function () {
    'use strict';

    const DATA = JSON.parse(document.getElementById('figures').textContent);

    // ---- numbers for people ----

    function digits(value) {
        const size = Math.abs(value);
        return size >= 100 || size === 0 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
    }

    function plain(value) {
        return String(Number(value.toPrecision(3)));
    }

    function seconds(value, format) {
        const write = format || digits;
        if (value === null || value === undefined || Number.isNaN(value)) return '–';
        if (value >= 1) return write(value) + ' s';
        if (value >= 1e-3) return write(value * 1e3) + ' ms';
        if (value >= 1e-6) return write(value * 1e6) + ' us';
        return write(value * 1e9) + ' ns';
    }

    const axisSeconds = (value) => seconds(value, plain);
    const count = (value) => value === null ? '–' : Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : plain(value);
    const percent = (share) => (share > 0 ? '+' : '') + plain(share * 100) + ' %';

    function bytes(value) {
        const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
        let at = 0;
        for (; Math.abs(value) >= 1024 && at < units.length - 1; at++) value /= 1024;
        return plain(value) + ' ' + units[at];
    }

    // 1/(1-p) as the percentile: 10 is 90 %, 1000 is 99.9 %.
    function percentileName(inverse) {
        if (inverse <= 1) return '0 %';
        const nines = Math.max(0, Math.ceil(Math.log10(inverse)) - 1);
        return Number((100 * (1 - 1 / inverse)).toFixed(Math.max(0, nines))) + ' %';
    }

    function escape(text) {
        const element = document.createElement('span');
        element.textContent = text;
        return element.innerHTML;
    }

    // ---- colours ----

    function palette() {
        const style = getComputedStyle(document.documentElement);
        const get = (name) => style.getPropertyValue(name).trim();
        return {
            series: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => get('--c' + i)),
            fg: get('--fg'), muted: get('--muted'), line: get('--line'), bg: get('--bg'), soft: get('--soft'),
            bad: get('--c1'), good: get('--c0'), font: getComputedStyle(document.body).fontFamily
        };
    }

    // Between two colours, #rrggbb each.
    function mix(from, to, share) {
        const part = (color, i) => parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16);
        return 'rgb(' + [0, 1, 2].map((i) => Math.round(part(from, i) + share * (part(to, i) - part(from, i)))).join(',') + ')';
    }

    // ---- parts of options ----

    function frame(c, more) {
        // A dot in the middle of a line that has none would hide how the line is dashed.
        const names = more && more.series ? [...new Map(more.series.map((s) => [s.name, s])).values()] : [];
        return Object.assign({
            animation: false, color: c.series, backgroundColor: 'transparent',
            textStyle: { color: c.fg, fontFamily: c.font, fontSize: 12 },
            grid: { left: 8, right: 24, top: 44, bottom: 30, containLabel: true },
            legend: { top: 4, left: 0, itemWidth: 22, itemHeight: 9, itemGap: 16, textStyle: { color: c.fg }, inactiveColor: c.muted, type: 'plain',
                data: names.length === 0 ? undefined : names.map((s) => s.type === 'line' && s.symbol === 'none' ? { name: s.name, itemStyle: { opacity: 0 } } : { name: s.name }) },
            tooltip: {
                trigger: 'axis', confine: true, backgroundColor: c.bg, borderColor: c.line, textStyle: { color: c.fg, fontSize: 12 },
                axisPointer: { type: 'line', lineStyle: { color: c.muted } }
            }
        }, more);
    }

    function axis(c, name, format, more) {
        return Object.assign({
            name, nameLocation: 'middle', nameGap: 26, nameTextStyle: { color: c.muted },
            axisLine: { show: true, onZero: false, lineStyle: { color: c.line } }, axisTick: { show: false }, minorTick: { show: false },
            splitLine: { lineStyle: { color: c.line, opacity: .7 } },
            axisLabel: { color: c.muted, hideOverlap: true, formatter: format }
        }, more);
    }

    // Values stand upright above the axis, where a title there would be read sideways.
    const upright = { nameLocation: 'end', nameGap: 12 };
    const upAxis = (c, name, format, more) =>
        axis(c, name, format, Object.assign({}, upright, { nameTextStyle: { color: c.muted, align: 'left', padding: [0, 0, 0, -30] } }, more));

    function tip(title, format) {
        return (params) => {
            const list = (Array.isArray(params) ? params : [params]).filter((p) => p.value && p.value[1] !== null);
            if (list.length === 0) return '';
            const rows = list.map((p) => p.marker + escape(p.seriesName) + ' <b>' + escape(format(p.value[1])) + '</b>');
            return '<span>' + escape(title(list[0].value[0])) + '</span><br>' + rows.join('<br>');
        };
    }

    function line(name, data, color, more) {
        return Object.assign({
            type: 'line', name, data, symbol: data.length < 2 ? 'circle' : 'none', symbolSize: 5, connectNulls: false,
            itemStyle: { color }, lineStyle: { color, width: 1.8 }, emphasis: { disabled: true }
        }, more);
    }

    // Bounds of a logarithmic axis: 1, 2 or 5 times a power of ten.
    function round(value, up) {
        const decade = 10 ** Math.floor(Math.log10(value)), steps = [1, 2, 5, 10].map((s) => s * decade);
        return up ? steps.find((s) => s >= value * .9999) : steps.filter((s) => s <= value * 1.0001).pop();
    }

    function logBounds(values) {
        const known = values.filter((v) => v > 0);
        return known.length > 0 ? { type: 'log', min: round(Math.min(...known), false), max: round(Math.max(...known), true) } : { type: 'log' };
    }

    const valuesOf = (series) => series.flatMap((s) => s.data.map((p) => p[1]));
    const dashed = (color, type) => ({ lineStyle: { color, width: 1.6, type: type === 'dashed' ? [5, 3] : type } });
    const positive = (data) => data.filter((p) => p[1] > 0);

    // ---- latency ----

    function percentiles(data, c) {
        const series = [], many = data.runs.length > 1;
        data.runs.forEach((run, i) => {
            const color = c.series[i % 8], type = many && i === 0 ? 'dashed' : 'solid';
            if (run.latency.length === 0) return;
            series.push(line(many ? run.name + ': latency' : 'latency', positive(run.latency), color, dashed(color, type)));
            if (run.service && run.service.length > 0 && JSON.stringify(run.service) !== JSON.stringify(run.latency)) {
                series.push(line(many ? run.name + ': service time' : 'service time', positive(run.service), color,
                    { lineStyle: { color, width: 1.3, type: 'dotted' } }));
            }
        });
        const limits = new Map(data.promises.map((p) => [p.clause, p.limit]));
        if (series.length > 0 && limits.size > 0) {
            series[0].markLine = {
                silent: true, symbol: 'none', lineStyle: { color: c.bad, type: 'dashed', width: 1.2 },
                data: [...limits].map(([clause, limit]) => ({
                    yAxis: limit, label: { formatter: 'promised: ' + clause, position: 'insideStartTop', color: c.bad }
                }))
            };
        }
        return frame(c, {
            xAxis: axis(c, 'percentile', percentileName, { type: 'log', min: 1 }),
            yAxis: upAxis(c, 'latency', axisSeconds, logBounds(valuesOf(series).concat([...limits.values()]))),
            tooltip: Object.assign(frame(c).tooltip, { formatter: tip(percentileName, seconds) }),
            series
        });
    }

    // What stages ask for, as the configuration has them: "100/s-500/s:30s" goes from one rate to the other within 30 s.
    function staged(text) {
        const unit = { us: 1e-6, ms: .001, s: 1, m: 60, h: 3600 };
        const points = [];
        let t = 0;
        for (const part of text.split(',')) {
            const found = /^([\d.e+]+)\/s-([\d.e+]+)\/s:(.+)$/.exec(part);
            const lengths = found && [...found[3].matchAll(/([\d.]+)(us|ms|s|m|h)/g)];
            if (!found || lengths.length === 0) return [];
            points.push([t, Number(found[1])]);
            t += lengths.reduce((sum, one) => sum + Number(one[1]) * unit[one[2]], 0);
            points.push([t, Number(found[2])]);
        }
        return points;
    }

    function shadeWarmup(series, runs, c) {
        const warmup = Math.max(0, ...runs.map((run) => run.warmup || 0));
        if (warmup === 0 || series.length === 0) return 0;
        series[0].markArea = {
            silent: true, itemStyle: { color: c.muted, opacity: .14 }, label: { color: c.muted, position: 'insideTop' },
            data: [[{ xAxis: -warmup, name: 'warm-up' }, { xAxis: 0 }]]
        };
        return -warmup;
    }

    // Where the longest of the windows ends.
    const ending = (runs) => Math.max(...runs.map((run) => run.end)) || undefined;

    function timeFrame(data, c, series, yAxis, format) {
        const from = shadeWarmup(series, data.runs, c);
        return frame(c, {
            xAxis: axis(c, 'seconds from the start of the window', plain, { type: 'value', min: from, max: ending(data.runs), splitLine: { show: false } }),
            yAxis, series,
            tooltip: Object.assign(frame(c).tooltip, { formatter: tip((t) => plain(t) + ' s', format) })
        });
    }

    function rate(data, c) {
        const series = [], many = data.runs.length > 1;
        data.runs.forEach((run, i) => {
            const color = c.series[i % 8], name = (what) => many ? run.name + ': ' + what : what;
            const asked = typeof run.stages === 'string' ? staged(run.stages) : run.asked ? [[0, run.asked], [run.end, run.asked]] : [];
            series.push(line(name('ok'), run.ok, color));
            if (asked.length > 0) series.push(line(name('asked'), asked, color, dashed(color, 'dashed')));
            if (!many) series.push(line('started', run.started, c.series[5], dashed(c.series[5], 'dotted')));
            if (run.failed.some((p) => p[1] > 0)) {
                const bad = many ? color : c.bad;
                series.push(line(name('failed'), run.failed, bad, {
                    lineStyle: { color: bad, width: 1.2, type: many ? 'dotted' : 'solid' }, areaStyle: many ? undefined : { color: bad, opacity: .25 }
                }));
            }
        });
        return timeFrame(data, c, series, upAxis(c, 'requests/s', count, { type: 'value', min: 0 }), count);
    }

    function latencyTime(data, c) {
        const series = [], many = data.runs.length > 1;
        data.runs.forEach((run, i) => {
            if (many) {
                const color = c.series[i % 8], hasTail = run.p99.some((p) => p[1] !== null);
                series.push(line(run.name + (hasTail ? ': p99' : ': max'), positive(hasTail ? run.p99 : run.max), color));
                series.push(line(run.name + ': p50', positive(run.p50), color, dashed(color, 'dotted')));
                return;
            }
            [['max', 'dotted'], ['p99', 'solid'], ['p90', 'solid'], ['p50', 'solid']].forEach(([name, type], k) => {
                if (run[name].some((p) => p[1] > 0)) series.push(line(name, positive(run[name]), c.series[[6, 1, 4, 0][k]], dashed(c.series[[6, 1, 4, 0][k]], type)));
            });
        });
        return timeFrame(data, c, series, upAxis(c, 'latency', axisSeconds, logBounds(valuesOf(series))), seconds);
    }

    // Of several runs each has its own picture below the other: stacks of two runs side by side can not be told apart.
    function errors(data, c, figure) {
        const runs = data.runs.filter((run) => run.errors !== null), height = 250, many = runs.length > 1;
        if (runs.length === 0) return null;
        const kinds = [...new Set(runs.flatMap((run) => run.errors.kinds.map((k) => k[0])))];
        const until = ending(data.runs);
        const grids = runs.map((_, i) => ({ left: 8, right: 24, top: 48 + i * height, height: height - 84, containLabel: true }));
        figure.querySelector('.plot').style.height = 4 + height * runs.length + 'px';
        return frame(c, {
            grid: grids,
            title: many ? runs.map((run, i) => ({ text: run.name, top: 22 + i * height, right: 24, textStyle: { color: c.fg, fontSize: 12, fontWeight: 'normal', width: 420, overflow: 'truncate' } })) : undefined,
            xAxis: runs.map((_, i) => axis(c, 'seconds from the start of the window', plain, { type: 'value', min: 0, max: until, gridIndex: i, splitLine: { show: false } })),
            yAxis: runs.map((_, i) => upAxis(c, 'failed/s', count, { type: 'value', min: 0, gridIndex: i })),
            series: runs.flatMap((run, i) => run.errors.kinds.map(([kind, values]) => {
                const color = c.series[[1, 4, 3, 0, 2, 5, 6, 7][kinds.indexOf(kind) % 8]];
                return line(kind, values.map((v, k) => [run.errors.t[k], v]), color, {
                    stack: 'run ' + i, xAxisIndex: i, yAxisIndex: i, areaStyle: { color, opacity: .55 }, lineStyle: { color, width: 1 }
                });
            })),
            tooltip: Object.assign(frame(c).tooltip, { formatter: tip((t) => plain(t) + ' s', (v) => count(v) + '/s') })
        });
    }

    function samples(data, c) {
        const series = [];
        data.runs.forEach((run, i) => run.samples.forEach((sample) => {
            const values = sample.p99.some((p) => p[1] > 0) ? positive(sample.p99) : [];
            if (values.length > 0) series.push(line(run.name, values, c.series[i % 8], { lineStyle: { width: 1.2, color: c.series[i % 8] } }));
        }));
        if (series.length === 0) return null;
        return frame(c, {
            xAxis: axis(c, 'seconds', plain, { type: 'value', min: 0, splitLine: { show: false } }),
            yAxis: upAxis(c, 'p99', axisSeconds, logBounds(valuesOf(series))), series
        });
    }

    function heat(data, c) {
        const most = Math.max(...data.cells.map((cell) => cell[2]));
        const top = Math.log1p(most), boxes = data.cells.map(([column, row, n]) =>
            [data.t[column], data.y[row], data.t[column + 1], data.y[row + 1], n]);
        return frame(c, {
            legend: { show: false },
            grid: { left: 8, right: 24, top: 30, bottom: 30, containLabel: true },
            xAxis: axis(c, 'seconds from the start of the window', plain, { type: 'value', min: data.t[0], max: data.t[data.t.length - 1], splitLine: { show: false } }),
            yAxis: upAxis(c, 'latency', axisSeconds, { type: 'log', min: data.y[0], max: data.y[data.y.length - 1], splitLine: { show: false } }),
            tooltip: Object.assign(frame(c).tooltip, {
                trigger: 'item',
                formatter: (p) => escape(plain(p.value[0]) + ' to ' + plain(p.value[2]) + ' s, ' + seconds(p.value[1]) + ' to ' + seconds(p.value[3])) +
                    '<br><b>' + escape(count(p.value[4])) + '</b> requests'
            }),
            series: [{
                type: 'custom', data: boxes, encode: { x: [0, 2], y: [1, 3] },
                renderItem: (params, api) => {
                    const a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(2), api.value(3)]);
                    return {
                        type: 'rect', shape: { x: a[0], y: b[1], width: Math.max(1, b[0] - a[0] + .4), height: Math.max(1, a[1] - b[1] + .4) },
                        style: { fill: mix(c.bg, c.good, .1 + .9 * Math.log1p(api.value(4)) / top) }
                    };
                }
            }]
        });
    }

    function rateLatency(data, c) {
        const series = data.runs.map((run, i) => {
            const tail = run.p99.some((p) => p[1] !== null) ? run.p99 : run.p50, at = new Map(tail.map((p) => [p[0], p[1]]));
            return {
                type: 'scatter', name: run.name + (tail === run.p99 ? ': p99' : ': p50'), symbolSize: 8, symbol: i % 2 ? 'diamond' : 'circle',
                data: run.started.filter((p) => at.get(p[0]) > 0).map((p) => [p[1], at.get(p[0])]),
                itemStyle: { color: c.series[i % 8], opacity: .75 }
            };
        });
        return frame(c, {
            xAxis: axis(c, 'requests started in that second', count, { type: 'value', min: 0 }),
            yAxis: upAxis(c, 'latency', axisSeconds, logBounds(valuesOf(series))), series,
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: tip((r) => count(r) + ' requests/s', seconds) })
        });
    }

    // ---- limits ----

    const CROSS = 'path://M1 0L5 4L9 0L10 1L6 5L10 9L9 10L5 6L1 10L0 9L4 5L0 1Z';

    // Levels that are doubled want equal steps for equal factors.
    function levelAxis(data, c) {
        const levels = data.limits.flatMap((l) => l.trials.map((t) => t[0])).filter((v) => v > 0);
        const wide = Math.max(...levels) > 12 * Math.min(...levels);
        return axis(c, data.limits.some((l) => l.of === 'connections') ? 'connections' : 'requests/s asked for', count,
            wide ? logBounds(levels) : { type: 'value', scale: true });
    }

    function ends(limit, c) {
        const at = (x, formatter, position) => ({ xAxis: x, label: { formatter, position, color: c.fg }, lineStyle: { color: c.muted, type: 'solid', width: 1 } });
        const marks = [];
        if (limit.safe !== null) marks.push(at(limit.safe, 'safe', 'insideEndTop'));
        if (limit.broken !== null) marks.push(at(limit.broken, 'broke', 'insideEndBottom'));
        return marks;
    }

    function limitLatency(data, c) {
        const series = [], many = data.limits.length > 1;
        const limits = new Map(data.limits.flatMap((l) => l.promises.map((p) => [p.clause, p.limit])));
        data.limits.forEach((limit, i) => [['p99', 2], ['p50', 1]].forEach(([name, field]) => {
            const color = c.series[many ? i % 8 : field === 2 ? 1 : 0], points = limit.trials.filter((t) => t[field] > 0);
            series.push({
                type: 'line', name: many ? limit.name + ': ' + name : name, itemStyle: { color }, symbolSize: 8, symbol: 'circle', showAllSymbol: true,
                lineStyle: { color, width: 1.4, type: field === 2 ? 'solid' : 'dotted' }, emphasis: { disabled: true },
                data: points.map((t) => ({ value: [t[0], t[field]], symbol: !t[5] ? CROSS : t[6] ? 'diamond' : 'circle', symbolSize: t[5] && t[6] ? 11 : 8 })),
                markLine: field === 2 ? { silent: true, symbol: 'none', data: ends(limit, c) } : undefined
            });
        }));
        if (series.length > 0) series[0].markLine.data = series[0].markLine.data.concat([...limits].map(([clause, limit]) => ({
            yAxis: limit, lineStyle: { color: c.bad, type: 'dashed', width: 1.2 }, label: { formatter: 'promised: ' + clause, position: 'insideStartTop', color: c.bad }
        })));
        const values = series.flatMap((s) => s.data.map((d) => d.value[1])).concat([...limits.values()]);
        return frame(c, {
            xAxis: levelAxis(data, c), yAxis: upAxis(c, 'latency', axisSeconds, logBounds(values)), series,
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: tip((level) => count(level), seconds) })
        });
    }

    function limitRate(data, c) {
        const series = [], many = data.limits.length > 1;
        const levels = data.limits.filter((l) => l.of === 'rate').flatMap((l) => l.trials.map((t) => t[0])).sort((a, b) => a - b);
        data.limits.forEach((limit, i) => {
            const color = c.series[many ? i % 8 : 0], name = (what) => many ? limit.name + ': ' + what : what;
            series.push({
                type: 'line', name: name('ok/s'), itemStyle: { color }, lineStyle: { color, width: 1.4 }, symbol: 'circle', symbolSize: 7, showAllSymbol: true,
                emphasis: { disabled: true }, data: limit.trials.map((t) => [t[0], t[3]])
            });
            if (limit.trials.some((t) => t[4] > 0)) series.push({
                type: 'scatter', name: name('errors'), yAxisIndex: 1, symbol: CROSS, symbolSize: 8, itemStyle: { color: many ? color : c.bad },
                data: limit.trials.map((t) => [t[0], t[4]]), tooltip: { formatter: tip((level) => count(level), (v) => plain(v * 100) + ' %') }
            });
        });
        if (levels.length > 0) series.push(line('asked for', levels.map((v) => [v, v]), c.muted, dashed(c.muted, 'dashed')));
        const errors = series.some((s) => s.yAxisIndex === 1);
        return frame(c, {
            grid: { left: 8, right: errors ? 40 : 24, top: 44, bottom: 30, containLabel: true }, xAxis: levelAxis(data, c),
            yAxis: [upAxis(c, 'ok/s', count, { type: 'value', min: 0 })].concat(errors ? [
                axis(c, 'errors', (v) => plain(v * 100) + ' %', Object.assign({ type: 'value', min: 0, splitLine: { show: false } }, upright))] : []),
            series, tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: tip((level) => count(level), (v) => count(v) + '/s') })
        });
    }

    // ---- parts, targets ----

    function phases(data, c, figure) {
        const used = data.phases.map((_, i) => i).filter((i) => data.runs.some((run) => run.mean[i] !== null));
        figure.querySelector('.plot').style.height = 90 + used.length * (14 + 24 * data.runs.length) + 'px';
        return frame(c, {
            grid: { left: 8, right: 60, top: 40, bottom: 30, containLabel: true },
            xAxis: axis(c, 'mean', axisSeconds, { type: 'value', min: 0 }),
            yAxis: axis(c, '', null, { type: 'category', inverse: true, data: used.map((i) => data.phases[i]), splitLine: { show: false } }),
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: (p) => escape(p.seriesName + ', ' + p.name) + ' <b>' + escape(seconds(p.value)) + '</b>' }),
            legend: Object.assign(frame(c).legend, { show: data.runs.length > 1 }),
            series: data.runs.map((run, k) => ({
                type: 'bar', name: run.name, barMaxWidth: 20, itemStyle: { color: c.series[k % 8], borderRadius: 2 },
                label: { show: true, position: 'right', color: c.muted, formatter: (p) => seconds(p.value) },
                data: used.map((i) => run.mean[i])
            }))
        });
    }

    function targets(data, c) {
        const names = [...new Set(data.runs.flatMap((run) => run.targets.map((t) => t[0])))];
        return frame(c, {
            legend: Object.assign(frame(c).legend, { show: data.runs.length > 1 }),
            xAxis: axis(c, 'target, in the order of the table', null, { type: 'category', data: names.map((_, i) => String(i + 1)), splitLine: { show: false } }),
            yAxis: upAxis(c, 'requests/s', count, { type: 'value', min: 0 }),
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: (p) => escape(names[p.dataIndex]) + ' <b>' + escape(count(p.value)) + '</b>/s' }),
            series: data.runs.map((run, k) => {
                const rates = new Map(run.targets);
                return { type: 'bar', name: run.name, barMaxWidth: 28, itemStyle: { color: c.series[k % 8] }, data: names.map((n) => rates.has(n) ? rates.get(n) : null) };
            })
        });
    }

    function watch(data, c) {
        const format = /bytes/.test(data.figure) ? bytes : count;
        return frame(c, {
            xAxis: axis(c, 'seconds', plain, { type: 'value', min: 0, splitLine: { show: false } }),
            yAxis: upAxis(c, '', format, { type: 'value', scale: data.figure !== 'cpu_cores' }),
            tooltip: Object.assign(frame(c).tooltip, { formatter: tip((t) => plain(t) + ' s', format) }),
            series: data.parts.map((part, i) => line(part.name, part.values, c.series[i % 8]))
        });
    }

    // ---- comparison ----

    function forest(data, c, figure) {
        const write = (v) => data.share ? (v > 0 ? '+' : '') + plain(v * 100) + ' points' : percent(v);
        const names = data.cells.map((cell) => cell.cell), height = 90 + 30 * names.length;
        const dots = (field) => data.cells.flatMap((cell, row) => cell[field].map((v) => [v, row]));
        const seen = data.cells.flatMap((cell) => [cell.change || 0, ...cell.base, ...cell.new]).map(Math.abs);
        const ends = data.cells.flatMap((cell) => [cell.low, cell.high]).filter((v) => v !== null).map(Math.abs);
        // Intervals that are far wider than all that was seen run out of the picture: the table has their ends.
        const near = Math.max(data.min * 1.5, ...seen) * 1.1, reach = Math.min(Math.max(near, ...ends.map((v) => v * 1.05)), 2.5 * near);
        const colour = (cell) => cell.verdict === 'regressed' ? c.bad : cell.verdict === 'improved' ? c.series[2] : c.fg;
        figure.querySelector('.plot').style.height = height + 'px';
        const marks = { silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: c.muted, type: 'solid', width: 1 }, data: [{ xAxis: 0 }] };
        if (data.overall !== null) marks.data.push({
            xAxis: data.overall, lineStyle: { color: c.series[3], type: 'dashed', width: 1.6 },
            label: { show: true, formatter: 'all: ' + write(data.overall), color: c.fg, position: 'start' }
        });
        return frame(c, {
            grid: { left: 8, right: 30, top: 56, bottom: 30, containLabel: true },
            legend: Object.assign(frame(c).legend, { data: ['base', 'new', 'change, 95 %'] }),
            xAxis: axis(c, 'change against the base', write, { type: 'value', min: -reach, max: reach }),
            yAxis: axis(c, '', null, {
                type: 'category', inverse: true, data: names, splitLine: { show: true, lineStyle: { color: c.line, opacity: .5 } },
                axisLabel: { color: c.fg, width: 230, overflow: 'truncate' }
            }),
            tooltip: Object.assign(frame(c).tooltip, {
                trigger: 'item', formatter: (p) => escape(names[p.value[1]]) + '<br>' + escape(p.seriesName) + ' <b>' + escape(write(p.value[0])) + '</b>' +
                    (p.seriesType === 'custom' ? ' (' + escape(write(p.value[2])) + ' to ' + escape(write(p.value[3])) + '), ' + escape(data.cells[p.value[1]].verdict) : '')
            }),
            series: [{
                type: 'scatter', name: 'base', data: dots('base'), symbolSize: 7, symbolOffset: [0, -5], itemStyle: { color: 'transparent', borderColor: c.muted, borderWidth: 1.3 },
                markArea: { silent: true, itemStyle: { color: c.muted, opacity: .1 }, data: [[{ xAxis: -data.min }, { xAxis: data.min }]] }, markLine: marks
            }, {
                type: 'scatter', name: 'new', data: dots('new'), symbolSize: 7, symbolOffset: [0, 5], itemStyle: { color: c.series[0], opacity: .55 }
            }, {
                type: 'custom', name: 'change, 95 %', clip: true, itemStyle: { color: c.fg }, encode: { x: [0, 2, 3], y: 1 },
                data: data.cells.map((cell, row) => [cell.change, row, cell.low, cell.high]).filter((v) => v[0] !== null),
                renderItem: (params, api) => {
                    const row = api.value(1), at = api.coord([api.value(0), row]), color = colour(data.cells[row]);
                    const children = [{ type: 'rect', shape: { x: at[0] - 4, y: at[1] - 4, width: 8, height: 8 }, style: { fill: color } }];
                    if (data.cells[row].low !== null) {
                        const low = api.coord([api.value(2), row]), high = api.coord([api.value(3), row]);
                        children.push({ type: 'line', shape: { x1: low[0], y1: at[1], x2: high[0], y2: at[1] }, style: { stroke: color, lineWidth: 2 } });
                    }
                    return { type: 'group', children };
                }
            }]
        });
    }

    // ---- rounds ----

    const sizesOf = (data) => [...new Set(data.rounds.map((r) => r.n))].sort((a, b) => a - b);

    function durations(data, c) {
        const dots = (ok) => data.rounds.flatMap((r) => r.copies.filter((k) => !!k[2] === ok && k[1] !== null).map((k) => [r.n, k[1]]));
        const series = [
            { type: 'scatter', name: 'ok', data: dots(true), symbolSize: 7, itemStyle: { color: c.series[0], opacity: .5 } },
            { type: 'scatter', name: 'failed', data: dots(false), symbol: CROSS, symbolSize: 9, itemStyle: { color: c.bad } }
        ].filter((s) => s.data.length > 0);
        data.series.forEach((one, i) => {
            const means = sizesOf(data).map((n) => {
                const list = data.rounds.filter((r) => r.n === n && r.series === i && r.mean !== null);
                return [n, list.length > 0 ? list.reduce((sum, r) => sum + r.mean, 0) / list.length : null];
            });
            series.push(line(data.series.length > 1 ? one.name + ': mean' : 'mean', means, c.series[[4, 2, 3, 5][i % 4]], { symbol: 'circle' }));
        });
        return frame(c, {
            xAxis: axis(c, 'at once', plain, { type: 'log', logBase: 2 }),
            yAxis: upAxis(c, 'duration', axisSeconds, { type: 'value', min: 0 }), series,
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: tip((n) => count(n) + ' at once', seconds) })
        });
    }

    function scaling(data, c) {
        const series = [];
        data.series.forEach((one, i) => {
            const name = data.series.length > 1 ? one.name + ': ' : '', color = c.series[i % 8];
            series.push({ type: 'scatter', name: name + 'measured', data: one.points, symbolSize: 9, itemStyle: { color } });
            if (one.law.length > 0) series.push(line(name + 'law', one.law, color, dashed(color, 'dashed')));
        });
        return frame(c, {
            xAxis: axis(c, 'at once', plain, { type: 'value', min: 0 }),
            yAxis: upAxis(c, 'copies/s', plain, { type: 'value', min: 0 }), series,
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: tip((n) => plain(n) + ' at once', (v) => plain(v) + '/s') })
        });
    }

    // A round of each size, the first sample.
    function gantt(data, c, figure) {
        const shown = sizesOf(data).slice(-6).map((n) => data.rounds.find((r) => r.n === n && r.copies.length > 0)).filter(Boolean);
        const rows = [], bars = [];
        shown.forEach((round) => round.copies.forEach((copy, k) => {
            const row = rows.length;
            let at = copy[0] === null ? 0 : copy[0];
            const end = at + (copy[1] || 0);
            rows.push(k === 0 ? round.n + ' at once' : '');
            (copy[3] || []).forEach((length, phase) => {
                if (length === null || length <= 0) return;
                bars.push([at, row, Math.min(end, at + length), phase]);
                at = Math.min(end, at + length);
            });
            if (end > at) bars.push([at, row, end, copy[2] ? -1 : -2]);
        }));
        if (rows.length === 0) return null;
        const pitch = rows.length > 80 ? 5 : rows.length > 30 ? 9 : 15;
        const names = data.phases.concat(['rest', 'failed']), key = (phase) => phase >= 0 ? phase : names.length - (phase === -1 ? 2 : 1);
        const colour = (phase) => phase === -1 ? (data.phases.length ? c.line : c.series[0]) : phase === -2 ? c.bad : c.series[[0, 2, 4, 5, 3, 7, 6][phase % 7]];
        figure.querySelector('.plot').style.height = 90 + pitch * rows.length + 'px';
        const used = [...new Set(bars.map((b) => b[3]))].sort((a, b) => key(a) - key(b));
        const name = (phase) => phase === -1 && data.phases.length === 0 ? 'copy' : names[key(phase)];
        return frame(c, {
            xAxis: axis(c, 'seconds from the release of the round', plain, { type: 'value', min: 0 }),
            yAxis: axis(c, '', null, { type: 'category', inverse: true, data: rows.map((_, i) => i), splitLine: { show: false }, axisLabel: { color: c.fg, interval: 0, formatter: (v, i) => rows[i] } }),
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: (p) => escape(p.seriesName) + ' <b>' + escape(seconds(p.value[2] - p.value[0])) + '</b>' }),
            series: used.map((phase) => ({
                type: 'custom', name: name(phase), itemStyle: { color: colour(phase) }, encode: { x: [0, 2], y: 1 },
                data: bars.filter((b) => b[3] === phase),
                renderItem: (params, api) => {
                    const a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(2), api.value(1)]);
                    return { type: 'rect', shape: { x: a[0], y: a[1] - pitch * .38, width: Math.max(1, b[0] - a[0]), height: pitch * .76 }, style: { fill: colour(phase) } };
                }
            }))
        });
    }

    function completion(data, c, figure) {
        const rounds = data.rounds.filter((r) => r.copies.length > 0).slice(0, 40);
        const ends = (ok) => rounds.flatMap((r, row) => r.copies.filter((k) => !!k[2] === ok && k[1] !== null).map((k) => [(k[0] || 0) + k[1], row]));
        figure.querySelector('.plot').style.height = 90 + 24 * rounds.length + 'px';
        return frame(c, {
            xAxis: axis(c, 'seconds from the release of the round', plain, { type: 'value', min: 0 }),
            yAxis: axis(c, '', null, {
                type: 'category', inverse: true, splitLine: { show: true, lineStyle: { color: c.line, opacity: .5 } }, axisLabel: { color: c.fg },
                data: rounds.map((r) => r.n + ' at once, sample ' + r.sample + (data.series.length > 1 ? ', ' + data.series[r.series].name : ''))
            }),
            tooltip: Object.assign(frame(c).tooltip, { trigger: 'item', formatter: (p) => escape(p.seriesName) + ' after <b>' + escape(seconds(p.value[0])) + '</b>' }),
            series: [
                { type: 'scatter', name: 'ok', data: ends(true), symbol: 'rect', symbolSize: [3, 14], itemStyle: { color: c.series[0], opacity: .8 } },
                { type: 'scatter', name: 'failed', data: ends(false), symbol: 'rect', symbolSize: [3, 14], itemStyle: { color: c.bad } }
            ].filter((s) => s.data.length > 0)
        });
    }

    const DRAW = {
        percentiles, rate, 'latency-time': latencyTime, errors, samples, heat, 'rate-latency': rateLatency, 'limit-latency': limitLatency, 'limit-rate': limitRate, phases, targets, watch, forest,
        durations, scaling, gantt, completion
    };

    // ---- drawing ----

    const drawn = new Map();
    const resizes = new ResizeObserver((entries) => entries.forEach((entry) => {
        const chart = drawn.get(entry.target.parentElement);
        if (chart && entry.contentRect.width > 0) {
            chart.resize();
            fit(entry.target);
        }
    }));

    // Paper has another width: with a viewBox the picture can be scaled to it.
    function fit(plot) {
        const svg = plot.querySelector('svg');
        if (svg) svg.setAttribute('viewBox', '0 0 ' + svg.getAttribute('width') + ' ' + svg.getAttribute('height'));
    }

    function draw(figure) {
        const plot = figure.querySelector('.plot'), data = DATA[figure.dataset.key];
        const before = drawn.get(figure);
        if (before) before.dispose();
        drawn.delete(figure);
        const option = data && DRAW[figure.dataset.chart](data, palette(), figure);
        if (!option || !option.series.some((s) => s.data && s.data.length > 0)) {
            figure.hidden = true;
            return;
        }
        makeRoom(option, plot.clientWidth);
        const chart = echarts.init(plot, null, { renderer: 'svg' });
        chart.setOption(option);
        fit(plot);
        drawn.set(figure, chart);
        resizes.observe(plot);
    }

    // A legend of several rows pushes the picture down.
    function makeRoom(option, width) {
        const names = option.legend.show === false ? [] : [...new Set(option.series.map((s) => s.name))];
        let rows = 1, at = 0;
        for (const name of names) {
            const needed = String(name).length * 6.6 + 44;
            if (at > 0 && at + needed > width) {
                rows++;
                at = 0;
            }
            at += needed;
        }
        [].concat(option.grid).forEach((grid) => { grid.top += 20 * (rows - 1); });
    }

    const visible = (figure) => figure.offsetParent !== null && figure.querySelector('.plot').clientWidth > 0;

    // Those that can be seen; what is folded away is drawn when it is opened.
    function drawAll() {
        document.querySelectorAll('figure.chart').forEach((figure) => {
            if (!drawn.has(figure) && !figure.hidden && visible(figure)) draw(figure);
        });
    }

    function start() {
        if (typeof echarts === 'undefined') return;
        document.documentElement.classList.add('charts');
        drawAll();
        document.querySelectorAll('details').forEach((details) => details.addEventListener('toggle', drawAll));
        window.addEventListener('themechange', () => [...drawn.keys()].forEach(draw));
        window.addEventListener('beforeprint', drawAll);
    }

    return { start };
})();
plimsollCharts.start();
