import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { OwnReader } from './create-reader.ts'
import type { ReaderWish } from './reader.ts'

/** A reader whose calls are spans, each with its wait for a worker. */
export function tracedReader(reader: OwnReader, telemetry: Telemetry): OwnReader {
  const traced = <T>(operation: string, { platform }: ReaderWish, work: () => Promise<T>): Promise<T> => {
    const attributes = { [names.tool]: 'yt-dlp', [names.platform]: platform }
    return telemetry.inSpan({ name: `yt-dlp ${operation}`, kind: 'client', attributes }, work)
  }
  return {
    info: (wish) => traced('info', wish, () => reader.info(wish)),
    captions: (wish, track) => traced('captions', wish, () => reader.captions(wish, track)),
    media: (wish, asked) => traced('media', wish, () => reader.media(wish, asked)),
    get restingAccounts() {
      return reader.restingAccounts
    },
    get withholding() {
      return reader.withholding
    },
    get pids() {
      return reader.pids
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
