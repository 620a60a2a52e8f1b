-- One row about the history as a whole. `now` is the time of its last event, so that answers are reproducible.
CREATE VIEW history AS
SELECT max(recorded_at) AS now, min(recorded_at) AS first_at, count(*) AS events, max(position) AS position
FROM events;
