import { systemClock } from '#packages/adapters/system/clock.ts'
import type { MediaCache } from '#packages/content/media/media-cache.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { noPace } from '#test/doubles/no-pace.ts'
import type { ScriptedRoute } from '#test/doubles/scripted-route.ts'
import { Breakers } from '../breakers/breakers.ts'
import type { RegisteredPlatform } from '../registry.ts'
import type { Reader } from '../ytdlp/reader.ts'
import { createSocial, type Social, type SocialOptions } from './create-social.ts'

type Given = Partial<SocialOptions> & { route: ScriptedRoute; refusals?: number }

/** The videos of a platform behind one route, without a pace. @param refusals that open a breaker */
export function socialOver(platform: RegisteredPlatform, reader: object, given: Given): Social {
  const { route, refusals, clock = systemClock, ...more } = given
  const isEstablished = async () => false
  const log = createLog('test', 'silent')
  return createSocial(platform, {
    reader: reader as Reader,
    routes: { of: () => route, [Symbol.asyncDispose]: async () => undefined },
    breakers: new Breakers({ clock, log, isEstablished, ...(refusals && { refusals }) }),
    pace: noPace,
    cache: undefined as unknown as MediaCache,
    clock,
    isEstablished,
    log,
    telemetry: noTelemetry,
    youtubeFirst: 'yt-dlp',
    metadataSeconds: 600,
    maxBytes: 1_000_000,
    maxSeconds: 1_000,
    ...more,
  })
}
