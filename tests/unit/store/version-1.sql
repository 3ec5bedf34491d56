-- A store as schema version 1 made it. Frozen: never edited, so that what is out there stays readable.
PRAGMA application_id = 1347176781;
PRAGMA user_version = 1;
CREATE TABLE runs(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL,
 started TEXT NOT NULL, duration_s REAL NOT NULL, valid INTEGER NOT NULL, interrupted INTEGER NOT NULL,
 stored TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')));
CREATE INDEX runs_started ON runs(started, number);
CREATE INDEX runs_name ON runs(name);
CREATE TABLE documents(run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, json TEXT NOT NULL);
CREATE TABLE labels(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
 PRIMARY KEY(run, name)) WITHOUT ROWID;
CREATE TABLE tags(name TEXT NOT NULL, run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, PRIMARY KEY(name, run)) WITHOUT ROWID;
CREATE INDEX tags_run ON tags(run);
INSERT INTO runs(id, name, kind, started, duration_s, valid, interrupted)
 VALUES('aaaa1111-0000-4000-8000-000000000001', 'from before', 'load', '2026-03-01T10:00:00.000Z', 10, 1, 0);
INSERT INTO labels VALUES(1, 'k', 'v');
INSERT INTO tags VALUES('old-tag', 1);
