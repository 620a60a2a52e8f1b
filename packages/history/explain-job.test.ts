import { readHistories } from '#test/histories/read-histories.ts'
import { explainJob } from './explain-job.ts'

describe('x', () => {
  for (const h of readHistories().filter((h) => h.kind === 'job'))
    it(h.name, () => {
      console.log(
        explainJob(
          { jobId: h.events[0]!.stream.slice(4), orgId: h.events[0]!.metadata.orgId, events: h.events },
          (h.events.at(-1)?.recordedAt ?? 0) + 5000,
        ).sentences.join('\n'),
      )
    })
})
