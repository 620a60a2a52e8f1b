-- The tables of analysts, made from the table `events` (an archive of the history). ../README.md describes
-- them. Every view reads whole streams, in the order of revisions: clocks of processes differ, revisions do not.

-- Seconds from one instant to another.
CREATE MACRO seconds_between(began, ended) AS date_diff('millisecond', began, ended) / 1000;

-- The month (UTC) of an instant, such as 2026-01.
CREATE MACRO month_of(instant) AS strftime(instant, '%Y-%m');

CREATE VIEW plans AS
FROM (VALUES ('free', 0, 0), ('starter', 9, 500), ('pro', 29, 2000)) AS plans (plan, usd_a_month, credits_a_month);
