import { expect } from 'chai'
import fc from 'fast-check'
import { equalForms } from './equal-forms.ts'
import { compilePattern } from './pattern.ts'

/** Pieces of texts that a pattern nearly or fully matches. */
const pieces = {
  decimal: ['0', '00', '1', '42', '.', '+', '-', 'e', ' '],
  duration: ['P', 'T', '1', '20', 'Y', 'M', 'D', 'H', 'S', 'W', '.', ','],
  host: ['a', 'Z', '9', '-', '.', 'xn--', 'XN--', 'com', 'a'.repeat(62), 'b'.repeat(63), '_'],
  email: ['a', '.', '@', '-', '+', "'", 'b.c', 'com', 'x9', '_', '..'],
  emoji: [
    '😀',
    '❤',
    '\uFE0F',
    '\u20E3',
    '1',
    '#',
    '🇩',
    '🇪',
    '\u200D',
    '👩',
    '🏽',
    '☝',
    '🏴',
    '\u{E0067}',
    '\u{E0062}',
    '\u{E007F}',
    'a',
  ],
  code: ['AB', '0', '00', '1', '01', '99', 'DEUTDE', 'FF', 'x', '12345678901'],
}

type Known = { by: string; source: string; of: keyof typeof pieces; fits: string; means?: string }
const decimalStart = '^(?!^[-+.]*$)[+-]?0*'
const limited = (whole: number, length: number, places?: number): Known => {
  const [before, after] = places === undefined ? ['\\d*', '\\d*'] : [`\\d{0,${whole}}`, `\\d{0,${places}}`]
  const fraction = `(?=[\\d.]{1,${length}}0*$)${before}\\.${after}0*$`
  return {
    by: `Pydantic, ${length - 1} digits${places === undefined ? '' : `, ${places} places`}`,
    source: `${decimalStart}(?:\\d{0,${whole}}|${fraction})`,
    of: 'decimal',
    fits: places === 0 ? '1.' : '.1',
    // Pydantic forgets the end of the first alternative, but means it to have one
    means: `${decimalStart}(?:\\d{0,${whole}}$|${fraction})`,
  }
}
const emojiUnit = String.raw`(?:\p{Emoji}\uFE0F\u20E3?|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}?|(?![\p{Emoji_Modifier_Base}\u{1F1E6}-\u{1F1FF}])\p{Emoji_Presentation})`

/** Every pattern with look-around that Pydantic 2.9–2.14, Zod 3 and 4, TypeBox and Valibot write. */
const known: Known[] = [
  { by: 'Pydantic', source: String.raw`${decimalStart}\d*\.?\d*$`, of: 'decimal', fits: '-.5' },
  { by: 'Pydantic, 2 places', source: String.raw`${decimalStart}\d*\.?\d{0,2}0*$`, of: 'decimal', fits: '1.2500' },
  { by: 'Pydantic, no places', source: String.raw`${decimalStart}\d*\.?\d{0,0}0*$`, of: 'decimal', fits: '12.0' },
  ...[limited(5, 6), limited(3, 6, 2), limited(5, 6, 0), limited(0, 6, 5)],
  {
    by: 'Zod 4, email()',
    source: String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
    of: 'email',
    fits: 'a.b@c.com',
  },
  {
    by: 'Zod 3, email()',
    source: String.raw`^(?!\.)(?!.*\.\.)([a-zA-Z0-9_'+\-\.]*)[a-zA-Z0-9_+-]@([a-zA-Z0-9][a-zA-Z0-9\-]*\.)+[a-zA-Z]{2,}$`,
    of: 'email',
    fits: "o'a@c.com",
  },
  {
    by: 'Zod 4, iso.duration()',
    source: String.raw`^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`,
    of: 'duration',
    fits: 'P1YT1.5S',
  },
  {
    by: 'Zod 4, emoji()',
    source: String.raw`^(?=[\s\S]*[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3])[\p{Extended_Pictographic}\p{Emoji_Component}]+$`,
    of: 'emoji',
    fits: '👩🏽',
  },
  {
    by: 'Valibot, emoji()',
    source: String.raw`^(?:[\u{1F1E6}-\u{1F1FF}]{2}|\u{1F3F4}[\u{E0061}-\u{E007A}]{2}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,3}\u{E007F}|${emojiUnit}(?:\u200D${emojiUnit})*)+$`,
    of: 'emoji',
    fits: '👩🏽😀🇩🇪',
  },
  {
    by: 'Zod 4, hostname()',
    source: String.raw`^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`,
    of: 'host',
    fits: 'a.xn--9.',
  },
  {
    by: 'Zod 4, domains of URLs',
    source: String.raw`^(?=.{1,253}$)([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}$`,
    of: 'host',
    fits: 'xn--9.com',
  },
  {
    by: 'Valibot, domain()',
    source: String.raw`^(?=.{1,253}$)(?:(?![Xx][Nn]--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$`,
    of: 'host',
    fits: 'a-9.com',
  },
  { by: 'Valibot, bic()', source: String.raw`^[A-Z]{6}(?!00)[\dA-Z]{2}(?:[\dA-Z]{3})?$`, of: 'code', fits: 'DEUTDEFF' },
  {
    by: 'Zod 4, iban()',
    source: String.raw`^[A-Z]{2}(?!00|01|99)\d{2}[A-Z0-9]{11,30}$`,
    of: 'code',
    fits: 'AB1012345678901',
  },
]

const matcherOf = (source: string): ((text: string) => boolean) => {
  const { all, none } = equalForms(source)
  const [must, mustNot] = [all, none].map((list) => list.map((one) => compilePattern(one)))
  return (text) => must?.every((one) => one.test(text)) === true && mustNot?.some((one) => one.test(text)) === false
}

describe('a pattern with look-ahead that a generator of schemas writes', () => {
  for (const { by, source, of, fits, means = source } of known)
    it(`has an equal form without it: ${by}`, () => {
      const [matches, expected] = [matcherOf(source), new RegExp(means, 'u')]
      expect([matches(fits), expected.test(fits)]).to.deep.equal([true, true])
      const near = fc.array(fc.constantFrom(...pieces[of]), { maxLength: 12 }).map((list) => list.join(''))
      // a fitting text with small insertions or deletions
      const mutated = fc
        .tuple(fc.nat(fits.length), fc.nat(2), fc.constantFrom('', ...pieces[of]))
        .map(([from, cut, put]) => fits.slice(0, from) + put + fits.slice(from + cut))
      fc.assert(
        fc.property(fc.oneof(near, mutated, fc.string({ unit: 'binary' })), (text) => {
          expect(matches(text), JSON.stringify(text)).to.equal(expected.test(text))
        }),
        { numRuns: 1000, seed: 20_261_126 },
      )
    })

  it('matches no text if TypeBox means that', () => {
    const matches = matcherOf('(?!.*)')
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !matches(text)))
  })
})
