/** Patterns without look-around. A text fits if it matches all of `all` and none of `none`. */
export type EqualForms = { all: readonly string[]; none: readonly string[] }

/** The pattern of `email()` of Zod 3 and 4, and the form without look-ahead that Zod writes since 4.6. */
const emails = [
  String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
  String.raw`^(?!\.)(?!.*\.\.)([a-zA-Z0-9_'+\-\.]*)[a-zA-Z0-9_+-]@([a-zA-Z0-9][a-zA-Z0-9\-]*\.)+[a-zA-Z]{2,}$`,
]
const email = String.raw`^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$`

const days = String.raw`(?:\d+Y(?:\d+M)?(?:\d+D)?|\d+M(?:\d+D)?|\d+D)`
const seconds = String.raw`\d+(?:[.,]\d+)?S`
const time = String.raw`T(?:\d+H(?:\d+M)?(?:${seconds})?|\d+M(?:${seconds})?|${seconds})`
/** An ISO 8601 duration, with a fraction of seconds. */
export const duration = String.raw`^P(?:\d+W|${days}(?:${time})?|${time})$`

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const valibotEmoji = {
  given: String.raw`(?![\p{Emoji_Modifier_Base}\u{1F1E6}-\u{1F1FF}])\p{Emoji_Presentation}`,
  equal: String.raw`[^\P{Emoji_Presentation}\p{Emoji_Modifier_Base}\u{1F1E6}-\u{1F1FF}]`,
}
const emojiUnit = (alone: string): string =>
  String.raw`(?:\p{Emoji}\uFE0F\u20E3?|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}?|${alone})`
const emojis = (alone: string): string =>
  String.raw`^(?:[\u{1F1E6}-\u{1F1FF}]{2}|\u{1F3F4}[\u{E0061}-\u{E007A}]{2}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,3}\u{E007F}|${emojiUnit(alone)}(?:\u200D${emojiUnit(alone)})*)+$`

/** The look-ahead patterns of generators, by their text. */
const known = new Map<string, EqualForms>([
  ...emails.map((source): [string, EqualForms] => [source, { all: [email], none: [] }]),
  [
    // Zod 4, iso.duration()
    String.raw`^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`,
    { all: [duration], none: [] },
  ],
  [
    // Zod 4, emoji()
    String.raw`^(?=[\s\S]*[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3])[\p{Extended_Pictographic}\p{Emoji_Component}]+$`,
    {
      all: [
        String.raw`[\p{Extended_Pictographic}\u{1F1E6}-\u{1F1FF}\u20E3]`,
        String.raw`^[\p{Extended_Pictographic}\p{Emoji_Component}]+$`,
      ],
      none: [],
    },
  ],
  // Valibot, emoji()
  [emojis(valibotEmoji.given), { all: [emojis(valibotEmoji.equal)], none: [] }],
  [
    // Zod 4, hostname()
    String.raw`^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`,
    { all: [String.raw`^.{1,253}\.?$`, String.raw`^${label}(?:\.${label})*\.?$`], none: [] },
  ],
  [
    // Zod 4, the domain of a URL
    String.raw`^(?=.{1,253}$)([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}$`,
    { all: ['^.{1,253}$', String.raw`^(?:${label}\.)+[A-Za-z]{2,63}$`], none: [] },
  ],
  [
    // Valibot, domain()
    String.raw`^(?=.{1,253}$)(?:(?![Xx][Nn]--)${label}\.)+[A-Za-z]{2,63}$`,
    { all: ['^.{1,253}$', String.raw`^(?:${label}\.)+[A-Za-z]{2,63}$`], none: [String.raw`(?:^|\.)[Xx][Nn]--`] },
  ],
  [
    // Valibot, bic()
    String.raw`^[A-Z]{6}(?!00)[\dA-Z]{2}(?:[\dA-Z]{3})?$`,
    { all: [String.raw`^[A-Z]{6}(?:[1-9A-Z][\dA-Z]|0[1-9A-Z])(?:[\dA-Z]{3})?$`], none: [] },
  ],
  [
    // Zod 4, iban()
    String.raw`^[A-Z]{2}(?!00|01|99)\d{2}[A-Z0-9]{11,30}$`,
    { all: [String.raw`^[A-Z]{2}(?:0[2-9]|[1-8]\d|9[0-8])[A-Z0-9]{11,30}$`], none: [] },
  ],
  // TypeBox, a pattern that matches no text
  ['(?!.*)', { all: ['[^\\s\\S]'], none: [] }],
])

const decimal = '^(?!^[-+.]*$)[+-]?0*'
/** Pydantic's pattern with a limit of decimal places. */
const places = /^\\d\*\\\.\?\\d\{0,(\d+)\}0\*\$$/
/** Pydantic's pattern with a limit of digits, and perhaps one of decimal places. */
const digits =
  /^\(\?:\\d\{0,(\d+)\}\|\(\?=\[\\d\.\]\{1,(\d+)\}0\*\$\)(\\d(?:\*|\{0,\d+\})\\\.\\d(?:\*|\{0,\d+\})0\*)\$\)$/

/**
 * The pattern of a Decimal of Pydantic 2.12 and 2.13. With a limit of digits, Pydantic forgets the end after the
 * first alternative, so its pattern matches any word. The returned form ends there, as intended.
 */
function decimalForms(source: string): EqualForms | undefined {
  if (!source.startsWith(decimal)) return undefined
  const rest = source.slice(decimal.length)
  const hasDigit = String.raw`\d`
  if (rest === String.raw`\d*\.?\d*$`) return { all: [String.raw`^[+-]?(?:\d+\.?\d*|\.\d+)$`], none: [] }
  const [, most] = places.exec(rest) ?? []
  if (most !== undefined) return { all: [String.raw`^[+-]?\d*(?:\.\d{0,${most}}0*)?$`, hasDigit], none: [] }
  const [, whole, length, fraction] = digits.exec(rest) ?? []
  if (fraction === undefined) return undefined
  const written = String.raw`^[+-]?0*(?:\d{0,${whole}}|${fraction})$`
  return { all: [written, String.raw`^[+-]?0*[\d.]{1,${length}}0*$`, hasDigit], none: [] }
}

/** The equal form, without look-ahead, of a pattern that generators write. Any other pattern stays unchanged. */
export const equalForms = (source: string): EqualForms =>
  known.get(source) ?? decimalForms(source) ?? { all: [source], none: [] }
