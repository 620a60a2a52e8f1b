import { expect } from 'chai'
import { facts } from './facts.ts'
import { InShort } from './in-short.ts'
import { Normalized } from './seen.ts'

/** A call, by the id of its recording. */
type Step = readonly [id: string, run: () => unknown]

/**
 * Makes a test for each step: its answer is the fact with the same id. @returns the answers by id, once the tests have
 * run
 */
export function testAnswers(steps: readonly Step[]): ReadonlyMap<string, unknown> {
  const [normalized, short] = [new Normalized(), new InShort()]
  const answers = new Map<string, unknown>()
  for (const [id, run] of steps) {
    const [asked, expected] = facts[id] ?? ['asks for what no fact tells of', '']
    it(`${id} ${asked}`, async () => {
      const answer = normalized.of(await run())
      answers.set(id, answer)
      expect(short.of(answer)).to.equal(expected)
    })
  }
  return answers
}
