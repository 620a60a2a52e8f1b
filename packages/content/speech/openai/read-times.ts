import type { Stretch } from '../engine.ts'

/** A part of an answer, as an endpoint gives it. */
export type Part = Record<string, unknown>

/** Milliseconds, microseconds and nanoseconds per second: endpoints answer in any of them. */
const UNITS = [1e3, 1e6, 1e9]

/** Whisper hears windows of this many seconds. In the last one it may give times after the end of the sound. */
const WINDOW_SECONDS = 30

/** How far times may lie before the beginning, after the end, or before those of the previous part. */
const SLACK_SECONDS = 1

/** @throws TypeError if it is not a time */
function timeOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const time = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof time !== 'number' || !Number.isFinite(time)) throw new TypeError('a time of the answer is not a number')
  return time
}

/** The number of units per second that puts the times inside the piece. 1: they are seconds. */
function unitOf(times: readonly number[], seconds: number): number {
  const last = times.reduce((most, time) => Math.max(most, time), 0)
  const isTooLate = last > seconds + WINDOW_SECONDS
  const unit = isTooLate ? UNITS.find((each) => last / each <= seconds + SLACK_SECONDS) : 1
  if (unit === undefined) throw new TypeError('times of the answer lie outside of the sound')
  return unit
}

/**
 * The time of each part of an answer, in seconds. Undefined if no part has a beginning. A part without an end lasts
 * until the next one begins. A part without a beginning begins when the previous one ends.
 * @param seconds the length of the sound
 * @throws TypeError if these cannot be the times of consecutive parts of this sound
 */
export function timesOf(parts: readonly Part[], seconds: number): Stretch[] | undefined {
  const given = parts.map(({ start, end }) => ({ start: timeOf(start), end: timeOf(end) }))
  if (given.length > 0 && given.every(({ start }) => start === undefined)) return undefined
  const unit = unitOf(
    given.flatMap(({ start = 0, end = 0 }) => [start, end]),
    seconds,
  )
  const inSeconds = (time: number | undefined) => (time === undefined ? undefined : time / unit)
  const times = given.map(({ start, end }) => ({ start: inSeconds(start), end: inSeconds(end) }))
  let before = { start: 0, end: 0 }
  return times.map(({ start = before.end, end = -1 }, i) => {
    if (start < before.start - SLACK_SECONDS) throw new TypeError('times of the answer go back')
    const from = Math.max(0, start)
    const next = times[i + 1]
    const until = next === undefined ? seconds : (next.start ?? from)
    before = { start: from, end: end >= from ? end : Math.max(from, until) }
    return before
  })
}
