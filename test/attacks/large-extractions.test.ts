/** A model's answer is bounded before it is parsed, whatever the customer makes the model write. */
import { expect } from 'chai'
import { startExtractionHarness } from '#packages/content/extraction/extraction.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { whileParsing } from '#test/doubles/parse-watch.ts'

const times = (count: number, text: string): string => Array(count).fill(text).join()

const tooLarge: Record<string, string> = {
  'more than 512 kB of one text': JSON.stringify({ a: 'x'.repeat(512_000) }),
  'more than 512 kB in bytes, not in characters': JSON.stringify({ a: 'ß'.repeat(256_000) }),
  'more than 512 kB of escapes': `{"a":"${'\\u0041'.repeat(86_000)}"}`,
  '50,000 small values': `{"a":[${times(50_000, '1')}]}`,
  'many empty lists': `{"a":[${times(50_000, '[]')}]}`,
  'many fields of one name (parsing would keep one)': `{${times(50_000, '"a":1')}}`,
  'quotes within texts, which hide commas from no count': `{"\\"":[${times(50_000, '"\\\\"')}]}`,
  '33 levels': `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  'a thousand levels of lists, in a code fence': `Here:\n\`\`\`json\n${'['.repeat(1000)}${']'.repeat(1000)}\n\`\`\``,
  'a thousand levels after an empty line in a code fence': `\`\`\`json\n\n ${'['.repeat(1000)}${']'.repeat(1000)}\n\`\`\``,
  '50,000 values after spaces in a code fence': `\`\`\`\n   {"a":[${times(50_000, '1')}]}\n\`\`\``,
  'levels that never end': `{"a":${'['.repeat(400_000)}`,
  'a long text that is no JSON': 'so it goes on '.repeat(40_000),
}

const fitting: Record<string, string> = {
  'nearly 512 kB': JSON.stringify({ a: 'x'.repeat(511_000) }),
  'nearly 50,000 values': JSON.stringify({ a: Array(49_990).fill(1) }),
  '32 levels': `${'{"a":'.repeat(32)}1${'}'.repeat(32)}`,
  'commas and brackets within texts': JSON.stringify({ a: '[,{,\\",'.repeat(30_000), '"[': 1 }),
  'many lists beside one another': JSON.stringify({ a: Array(20_000).fill([1]) }),
}

describe('attacks by the answer of a model', () => {
  const harness = openedForAll(() => startExtractionHarness({ reply: () => answer }))
  let answer = ''

  for (const [name, text] of Object.entries(tooLarge))
    it(`of ${name}: it is never parsed, the model is not asked again, and its usage is counted`, async () => {
      answer = text
      let parsed = 0
      const note = (given: string, isJson: boolean): void => {
        if (isJson && given.length > 200 && text.includes(given)) parsed += 1
      }
      const asked = harness.endpoint.requests.length
      await whileParsing(note, async () => {
        for (const schema of [null, {}])
          expect(await harness.failure({ schema })).to.include({ code: 'result_too_large', transient: false })
      })
      expect(parsed).to.equal(0)
      expect(harness.endpoint.requests.length - asked).to.equal(2)
      expect(harness.used.tokens.output).to.be.above(0)
    })

  for (const [name, text] of Object.entries(fitting))
    it(`but ${name} is a result`, async () => {
      answer = text
      expect((await harness.run({ schema: {} })).result).to.deep.equal(JSON.parse(text))
    })
})
