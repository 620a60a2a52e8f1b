/** A range of time in seconds; without an end: Infinity. */
export type Interval = { begin: number; end: number }

/** The frame and tick rates of a document (TTML2, 7.2), per second. */
export type Rates = { frames: number; subFrames: number; ticks: number }

type Attributes = Readonly<Record<string, string | undefined>>

/** @param attributes of the element `tt`, names without prefix */
export function ratesOf({ frameRate, frameRateMultiplier, subFrameRate, tickRate }: Attributes): Rates {
  const [numerator = 1, denominator = 1] = (frameRateMultiplier ?? '1').split(/[\s:]+/).map(Number)
  const frames = positive(frameRate, 30) * (numerator / denominator || 1)
  const subFrames = positive(subFrameRate, 1)
  return { frames, subFrames, ticks: positive(tickRate, frameRate === undefined ? 1 : frames * subFrames) }
}

const positive = (text: string | undefined, otherwise: number): number => (Number(text) > 0 ? Number(text) : otherwise)

/** When an element is shown. Its own times count from its parent's beginning, and end with it at the latest. */
export function intervalOf({ begin, end, dur }: Attributes, within: Interval, rates: Rates): Interval {
  const from = within.begin + (secondsOf(begin, rates) ?? 0)
  const ends = [within.begin + (secondsOf(end, rates) ?? Number.POSITIVE_INFINITY)]
  const length = secondsOf(dur, rates)
  if (length !== undefined) ends.push(from + length)
  return { begin: from, end: Math.min(within.end, ...ends) }
}

const perUnit = { h: 3600, m: 60, s: 1, ms: 0.001 }

/** A time expression (TTML2, 12.3.1): `00:01:02.500`, `00:01:02:12`, `62.5s`, `620t`; undefined for anything else. */
function secondsOf(time: string | undefined, { frames, subFrames, ticks }: Rates): number | undefined {
  const text = time?.trim() ?? ''
  const clock = /^(\d+):(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)(?::(\d+)(?:\.(\d+))?)?$/.exec(text)
  if (clock) {
    const [, hours, minutes, seconds = '', frame = 0, part = 0] = clock
    const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'))
    return whole + (Number(frame) + Number(part) / subFrames) / frames
  }
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(h|m|s|ms|f|t)?$/.exec(text) ?? []
  if (amount === undefined) return undefined
  const each: Record<string, number> = { ...perUnit, f: 1 / frames, t: 1 / ticks }
  return Number(amount) * (each[unit] ?? 1)
}
