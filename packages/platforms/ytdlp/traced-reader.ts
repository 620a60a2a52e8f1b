import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { OwnReader } from './create-reader.ts'
import type { ReaderWish } from './reader.ts'

/** Makes each call of a reader a span, with its wait for a worker. */
export function tracedReader(reader: OwnReader, telemetry: Telemetry): OwnReader {
  const traced = <T>(
    operation: string,
    { platform, route, url }: Pick<ReaderWish, 'platform' | 'route'> & { url: string },
    work: () => Promise<T>,
  ): Promise<T> => {
    const attributes = {
      [names.tool]: 'yt-dlp',
      [names.platform]: platform,
      [names.serverAddress]: URL.parse(url)?.hostname,
      [names.egressRoute]: route.via,
    }
    return telemetry.inSpan({ name: `yt-dlp ${operation}`, kind: 'client', attributes }, work)
  }
  const ofVideo = (wish: ReaderWish) => ({ ...wish, url: wish.canonicalUrl })
  return {
    info: (wish) => traced('info', ofVideo(wish), () => reader.info(wish)),
    captions: (wish, track) => traced('captions', ofVideo(wish), () => reader.captions(wish, track)),
    media: (wish, asked) => traced('media', ofVideo(wish), () => reader.media(wish, asked)),
    page: (wish) => traced('page', wish, () => reader.page(wish)),
    health: reader.health,
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
