// SPDX-License-Identifier: GPL-3.0-or-later
// What the page does beyond showing: columns sort, the theme changes, documents are saved, a link opens what is folded.
(function () {
    'use strict';

    function cellValue(row, column) {
        const cell = row.cells[column];
        const value = cell && cell.dataset.v;
        return value !== undefined ? Number(value) : cell ? cell.textContent.trim() : '';
    }

    // Numbers before texts, what is not known last, whichever way.
    function compareBy(column, sign) {
        return function (a, b) {
            const x = cellValue(a, column), y = cellValue(b, column);
            if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
            if (typeof x === 'number') return -1;
            if (typeof y === 'number') return 1;
            return sign * x.localeCompare(y, 'en', { numeric: true });
        };
    }

    function sortTable(table, column) {
        const heads = table.tHead.rows[0].cells, head = heads[column], body = table.tBodies[0];
        const descending = head.getAttribute('aria-sort') === 'ascending' ||
            (!head.hasAttribute('aria-sort') && head.classList.contains('n'));
        const down = descending && head.getAttribute('aria-sort') !== 'descending';
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        [...body.rows].sort(compareBy(column, down ? -1 : 1)).forEach((row) => body.appendChild(row));
    }

    function makeSortable(table) {
        if (!table.tHead || table.tHead.rows.length !== 1 || table.closest('.heat') || table.tBodies[0].rows.length < 2) return;
        [...table.tHead.rows[0].cells].forEach((head, column) => {
            if (head.textContent.trim() === '') return;
            const button = document.createElement('button');
            button.type = 'button';
            button.textContent = head.textContent;
            button.addEventListener('click', () => sortTable(table, column));
            head.textContent = '';
            head.appendChild(button);
        });
    }

    function theme() {
        return document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    }

    function addThemeButton() {
        const button = document.createElement('button');
        const label = () => { button.textContent = theme() === 'dark' ? 'Light' : 'Dark'; };
        button.type = 'button';
        button.setAttribute('aria-label', 'Change between light and dark');
        button.addEventListener('click', () => {
            document.documentElement.dataset.theme = theme() === 'dark' ? 'light' : 'dark';
            label();
            window.dispatchEvent(new Event('themechange'));
        });
        label();
        document.getElementById('tools').appendChild(button);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
            label();
            window.dispatchEvent(new Event('themechange'));
        });
    }

    function addSave() {
        const place = document.getElementById('save');
        if (!place) return;
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = 'Save the documents as JSON';
        button.addEventListener('click', () => {
            const link = document.createElement('a');
            const text = document.getElementById('documents').textContent;
            link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
            link.download = 'results.json';
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        });
        place.appendChild(button);
    }

    function openTarget() {
        const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
        for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
        if (target && target.tagName === 'DETAILS') target.scrollIntoView();
    }

    document.querySelectorAll('main table').forEach(makeSortable);
    addThemeButton();
    addSave();
    window.addEventListener('hashchange', openTarget);
    openTarget();
    window.addEventListener('beforeprint', () => document.querySelectorAll('details:not([open])').forEach((d) => {
        d.open = true;
        d.dataset.opened = '';
    }));
    window.addEventListener('afterprint', () => document.querySelectorAll('details[data-opened]').forEach((d) => {
        d.open = false;
        delete d.dataset.opened;
    }));
})();
