import { orZero } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { dashboard } from './dashboard.ts'
import { by, graph, of, quantiles, stat } from './panels.ts'

/** The event store, the queue and the views from the services' point of view, and the processes. */
export const engines = dashboard({
  name: 'engines',
  title: 'Engines',
  about: 'The event store, Kafka and MongoDB (or SQLite and memory) as the services see them, and the processes.',
  rows: [
    {
      title: 'Do they answer',
      panels: [
        stat({
          title: 'What answers',
          about: '1: it answers every process that needs it. 0: /ready of some process says what is wrong.',
          unit: 'short',
          width: 24,
          lines: [by([names.dependency], (by) => of.min(metrics.dependencyUp, { by }))],
        }),
      ],
    },
    {
      title: 'Event store',
      panels: [
        graph({
          title: 'Time of an append',
          about: 'Half of them, and 99 of 100, are faster.',
          unit: 's',
          width: 8,
          lines: quantiles([0.5, 0.99], metrics.appendDuration, { by: [names.dbCollection] }),
        }),
        graph({
          title: 'Appends by outcome',
          about:
            'Conflicts are usual: another process appended first, and the decision is repeated. All other failures are not.',
          unit: 'ops',
          width: 8,
          lines: [by([names.dbCollection, names.outcome], (by) => of.rate(metrics.appendDuration, { by }))],
        }),
        graph({
          title: 'Feed lag',
          about: 'For how long each follower has been behind. It grows: what it makes is late (jobs, views, keys).',
          unit: 's',
          width: 8,
          lines: [by(['job', names.follower], (by) => of.max(metrics.feedLag, { by }))],
        }),
      ],
    },
    {
      title: 'Work queue (Kafka)',
      panels: [
        graph({
          title: 'Tasks published',
          about: '`true`: published again, because no worker claimed them within seconds.',
          unit: 'ops',
          width: 8,
          lines: [by([names.step, names.isRepublished], (by) => of.rate(metrics.tasksPublished, { by }))],
        }),
        graph({
          title: 'Steps that wait',
          about: 'Due and not claimed. All steps at once: the queue does not deliver. One: too few workers.',
          unit: 'short',
          width: 8,
          lines: [by([names.step], (by) => of.sum(metrics.queueDepth, { by }))],
        }),
        graph({
          title: 'Dead letters',
          about: 'Messages that were set aside. `npm run dead-letters -- list` shows them.',
          unit: 'short',
          width: 8,
          lines: [by([names.step], (by) => orZero(of.sum(metrics.deadLetters, { by })))],
        }),
      ],
    },
    {
      title: 'Views (MongoDB)',
      panels: [
        graph({
          title: 'Time of a batch',
          about: 'Half of the batches, and 99 of 100, are faster.',
          unit: 's',
          width: 8,
          lines: quantiles([0.5, 0.99], metrics.viewsDuration),
        }),
        graph({
          title: 'Batches by outcome',
          about: 'Failures are tried again for as long as it takes; polls are answered from the events meanwhile.',
          unit: 'ops',
          width: 8,
          lines: [by([names.outcome], (by) => of.rate(metrics.viewsDuration, { by }))],
        }),
        graph({
          title: 'Owner of the views',
          about: 'One process has 1. None for minutes: no process updates the views, or it is behind the events.',
          unit: 'short',
          width: 8,
          lines: [by(['instance'], (by) => of.sum(metrics.viewsOwner, { by }))],
        }),
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        graph({
          title: 'Attempts by outcome',
          about: '`again`: the receiver did not take it, and is asked again later. Receivers are customers’ own.',
          unit: 'ops',
          width: 6,
          lines: [by([names.outcome], (by) => of.rate(metrics.webhookAttempts, { by }))],
        }),
        graph({
          title: 'Mails by outcome',
          about: 'Of the dashboard, and of webhooks that were switched off. None is sent where no mail server is set.',
          unit: 'ops',
          width: 6,
          lines: [by([names.outcome], (by) => orZero(of.rate(metrics.mailDuration, { by })))],
        }),
        graph({
          title: 'Open deliveries',
          about: 'Those that wait for their next attempt are among them, for up to three days.',
          unit: 'short',
          width: 6,
          lines: [[of.sum(metrics.openDeliveries, {}), 'deliveries']],
        }),
        graph({
          title: 'Owner of the deliveries',
          about: 'One process has 1. None for minutes: no process delivers; nothing is lost meanwhile.',
          unit: 'short',
          width: 6,
          lines: [by(['instance'], (by) => of.sum(metrics.webhooksOwner, { by }))],
        }),
      ],
    },
    {
      title: 'Watches',
      panels: [
        graph({
          title: 'Watches',
          about: 'Those that are there, paused ones included.',
          unit: 'short',
          width: 12,
          lines: [[of.sum(metrics.openWatches, {}), 'watches']],
        }),
        graph({
          title: 'Owner of the watches',
          about: 'One process has 1. None for hours: new videos are found later; nothing is lost meanwhile.',
          unit: 'short',
          width: 12,
          lines: [by(['instance'], (by) => of.sum(metrics.watchesOwner, { by }))],
        }),
      ],
    },
    {
      title: 'Batches',
      panels: [
        graph({
          title: 'Open batches',
          about: 'Each from the hold of its credits until that is released.',
          unit: 'short',
          width: 12,
          lines: [[of.sum(metrics.openBatches, {}), 'batches']],
        }),
        graph({
          title: 'Owner of the batches',
          about: 'One process has 1. None for minutes: no item begins; nothing is lost meanwhile.',
          unit: 'short',
          width: 12,
          lines: [by(['instance'], (by) => of.sum(metrics.batchesOwner, { by }))],
        }),
      ],
    },
    {
      title: 'Processes',
      panels: [
        graph({
          title: 'Memory',
          about: 'By process.',
          unit: 'bytes',
          lines: [by(['job', 'instance'], (by) => of.max(metrics.memory, { by }))],
        }),
        graph({
          title: 'Processor',
          about: 'Cores in use, by process.',
          unit: 'short',
          lines: [by(['job', 'instance'], (by) => of.rate(metrics.cpu, { by }))],
        }),
        graph({
          title: 'Longest delay of the event loop',
          about: 'Near 1 s: leases and health checks suffer.',
          unit: 's',
          width: 8,
          lines: [by(['job'], (by) => of.max(metrics.loopDelay, { by }))],
        }),
        graph({
          title: 'Clock behind the events',
          about: 'How far the newest recorded time lies ahead of a process. Above 2 s: ops/runbooks/clock-skew.md.',
          unit: 's',
          width: 8,
          lines: [by(['job'], (by) => of.max(metrics.clockAhead, { by }))],
        }),
        graph({
          title: 'Media cache',
          about: 'MEDIA_CACHE_BYTES is its limit.',
          unit: 'bytes',
          width: 8,
          lines: [by(['job'], (by) => of.max(metrics.mediaCacheSize, { by }))],
        }),
        graph({
          title: 'Free space',
          about: 'Of the disks of DATA_DIR, media and archive. Under 512 MiB: ops/runbooks/disk-full.md.',
          unit: 'bytes',
          width: 12,
          lines: [by(['job', names.folder], (by) => of.min(metrics.diskFree, { by }))],
        }),
        graph({
          title: 'Lost lines of the log',
          about: 'A full disk, or a reader of the log that is gone or too slow.',
          unit: 'ops',
          width: 12,
          lines: [by(['job'], (by) => of.rate(metrics.logLinesLost, { by }))],
        }),
      ],
    },
    {
      title: 'What is removed',
      panels: [
        graph({
          title: 'Streams removed',
          about: 'Because their owner wanted it, or because they are older than RETENTION_DAYS.',
          unit: 'ops',
          lines: [by([names.removalReason], (by) => of.rate(metrics.streamsRemoved, { by }))],
        }),
        graph({
          title: 'Last sweep',
          about:
            'Time since one went well. More than an hour: the log has retention_failed, or another export holds the archive.',
          unit: 's',
          lines: [by(['job'], (by) => of.min(metrics.sweepAge, { by }))],
        }),
      ],
    },
    {
      title: 'Speech endpoint',
      panels: [
        graph({
          title: 'Time of a call of the speech endpoint',
          about: 'Half of the calls, and 95 of 100, are faster. A call takes up to ten minutes of sound.',
          unit: 's',
          width: 8,
          lines: quantiles([0.5, 0.95], metrics.speechCallDuration, { by: [names.serverAddress] }),
        }),
        graph({
          title: 'Calls of the speech endpoint by outcome',
          about: '`ok`: answered. `denied`: its key, model or path. ops/runbooks/transcripts-fail.md has the others.',
          unit: 'ops',
          width: 8,
          lines: [
            by([names.serverAddress, names.outcome], (by) => orZero(of.rate(metrics.speechCallDuration, { by }))),
          ],
        }),
        graph({
          title: 'Sound that the speech endpoint is sent',
          about: 'Seconds of sound in a second, by outcome. What is not `ok` is sent again, or lost to its job.',
          unit: 'short',
          width: 8,
          lines: [by([names.outcome], (by) => of.rate(metrics.speechCallSound, { by }))],
        }),
      ],
    },
    {
      title: 'Language model',
      panels: [
        graph({
          title: 'Time of a call',
          about: 'Half of the calls, and 95 of 100, are faster.',
          unit: 's',
          lines: quantiles([0.5, 0.95], metrics.modelDuration, { by: [names.genAiModel] }),
        }),
        graph({
          title: 'Calls',
          about: 'By kind of error; without one they were answered.',
          unit: 'ops',
          lines: [by([names.genAiModel, names.errorType], (by) => orZero(of.rate(metrics.modelDuration, { by })))],
        }),
      ],
    },
  ],
})
