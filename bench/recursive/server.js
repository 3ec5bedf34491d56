// SPDX-License-Identifier: GPL-3.0-or-later
// What /recursive of plimsoll serve is measured against: the same calls, one after the other, as a Node application makes them.
const axios = require('axios');
const express = require('express');

const app = express();

async function ask(base, n) {
  const reply = await axios.get(`${base}/recursive/${n}`, { params: { url: base } });
  return reply.data.fibonacci;
}

app.get('/recursive/:n', async (request, response) => {
  const begin = Date.now();
  const n = Number(request.params.n);
  const base = request.query.url || `${request.protocol}://${request.get('host')}`;
  let fibonacci = 1;
  if (n > 2) {
    const first = await ask(base, n - 1);
    fibonacci = first + await ask(base, n - 2);
  }
  response.json({ n: request.params.n, fibonacci, msTime: Date.now() - begin });
});

app.listen(Number(process.env.PORT), '127.0.0.1');
