import { expect } from 'chai'
import { parseAnswer } from './parse-answer.ts'

/** Processor time of this thread, milliseconds. */
function cost(work: () => void): number {
  const used = (): number => process.threadCpuUsage().user + process.threadCpuUsage().system
  const before = used()
  work()
  return (used() - before) / 1000
}

describe('the JSON of an answer', () => {
  it('is found in a code fence, whatever is around it', () => {
    for (const text of [
      '```json\n{"a":1}\n```',
      'Here:\n```\n\n\n{"a":1}```',
      '``` \t\n{"a":1}\n``` bye ```json\n{}```',
      '```JSON  \r\n{"a":1}```',
    ])
      expect(parseAnswer(text), text).to.deep.equal({ value: { a: 1 } })
    expect(parseAnswer('```json\n{"a":1')).to.deep.equal({ problem: 'The answer was not JSON.' })
  })

  it('is found in time linear in the length of the answer, even a hostile one', () => {
    const hostile = ['```\n', '\n', '```', ' \n', '{', '<think>', '```json ', '[['].map(
      (piece) => `\`\`\`${piece.repeat(400_000 / piece.length)}x`,
    )
    // An earlier version took two seconds for 60,000 empty lines, because its time was quadratic.
    for (const text of hostile)
      expect(
        cost(() => parseAnswer(text)),
        text.slice(0, 12),
      ).to.be.below(500)
  })
})
