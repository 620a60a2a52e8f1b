import type { MediaCache } from '#packages/content/media/media-cache.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

const states = ['open', 'half-open'] as const

/** Exports the state of the outside: platforms that refuse us, accounts that rest, the size of the media cache. */
export async function observeOutside(
  telemetry: Telemetry,
  {
    platforms,
    cache,
  }: { platforms: Pick<Platforms, 'standing' | 'waitingReads'>; cache: Pick<MediaCache, 'bytes' | 'measure'> },
): Promise<void> {
  telemetry.observe(metrics.breakers, () => {
    const { blocked } = platforms.standing()
    const breakersOf = (platform: string, state: string): number =>
      blocked.filter((route) => route.platform === platform && route.state === state).length
    return platformNames.flatMap((platform) =>
      states.map((state) => ({
        value: breakersOf(platform, state),
        attributes: { [names.platform]: platform, [names.breakerState]: state },
      })),
    )
  })
  telemetry.observe(metrics.accountsResting, () => {
    const resting = new Set(platforms.standing().restingAccounts.map(({ platform }) => platform))
    return platformNames.map((platform) => ({
      value: resting.has(platform) ? 1 : 0,
      attributes: { [names.platform]: platform },
    }))
  })
  telemetry.observe(metrics.paceWaiting, () =>
    platformNames.map((platform) => ({
      value: platforms.waitingReads(platform),
      attributes: { [names.platform]: platform },
    })),
  )
  await cache.measure()
  telemetry.observe(metrics.mediaCacheSize, () => [{ value: cache.bytes }])
}
