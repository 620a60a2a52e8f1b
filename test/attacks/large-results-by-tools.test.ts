/**
 * Tools read results in the process that serves all callers. In each turn of its event loop it parses at most one large
 * result.
 */
import { expect } from 'chai'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { startMcpHarness, structureOf } from '#test/doubles/mcp/mcp.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { TurnCounter, whileParsing } from '#test/doubles/parse-watch.ts'

const url = 'https://cdn.example.com/film.mp4'
const CALLS = 8

const ends = {
  get_video_transcript: {
    segments: Array.from({ length: 10_000 }, (_, n) => ({ start: n, end: n + 1, text: 'and so it goes on' })),
  },
  extract_from_video: { extracted: { list: Array.from({ length: 20_000 }, (_, n) => ({ n })) } },
}

describe('attacks by large results that tools read', function () {
  this.timeout(60_000)
  const harness = openedForAll(() => startMcpHarness())

  for (const [name, end] of Object.entries(ends))
    it(`by ${CALLS} calls of ${name} at once`, async () => {
      const host = await harness.connect({ transport: 'http', mode: 'auto' })
      const given = { name, arguments: { url, ...(name === 'extract_from_video' && { prompt: 'What is said?' }) } }
      const first = host.callTool(given)
      await endJob(harness.ingress, (await harness.nextJob()).jobId, end)
      const { jobId } = structureOf(await first)
      const again = { name, arguments: { ...given.arguments, jobId } }
      using counter = new TurnCounter()
      const turns: number[] = []
      const note = (json: string): void => {
        if (json.length > 64 * 1024 && json.startsWith(`{"jobId":"${jobId}"`)) turns.push(counter.turn)
      }
      const results = await whileParsing(note, () =>
        Promise.all(Array.from({ length: CALLS }, () => host.callTool(again))),
      )
      for (const result of results) expect(structureOf(result)).to.include({ status: 'completed', jobId })
      expect(turns).to.have.length(CALLS)
      expect(new Set(turns).size).to.equal(CALLS)
    })
})
