import type { Organization } from '../organizations.ts'
import type { World } from '../world.ts'
import {
  goodKeysAreAccepted,
  noStateIsOlder,
  onlyOwnJobsAreRead,
  onlyOwnJobsAreSeen,
  revokedKeysAreRefused,
} from './access.ts'
import { noJobFailsNeedlessly } from './completion.ts'
import { balancesAddUp, jobsCostTheirPrice } from './credits.ts'
import { cancellationsHold, everyJobEnds } from './ends.ts'
import { type Check, historyOf } from './history.ts'
import { historyIsSound } from './history-is-sound.ts'
import { limitsOfKeysHold } from './limits.ts'
import { rawEvent } from './raw-events.ts'
import { removalsHold } from './removals.ts'
import { attemptsAreMadeOnce, keysAreOneJob } from './repeats.ts'
import { reusedResultsAreOwn } from './reuses.ts'
import { viewsEqualReplay } from './views.ts'
import { webhooksAreTold } from './webhooks.ts'

/** The invariants of ops/architecture.md by their numbers; the run itself checks 8. */
const checks: readonly [string, Check][] = [
  ['the history', historyIsSound],
  ['1', everyJobEnds],
  ['2', balancesAddUp],
  ['3', jobsCostTheirPrice],
  ['4', revokedKeysAreRefused],
  ['4', goodKeysAreAccepted],
  ['5', viewsEqualReplay],
  ['6', onlyOwnJobsAreSeen],
  ['6', onlyOwnJobsAreRead],
  ['11', noStateIsOlder],
  ['7', attemptsAreMadeOnce],
  ['7', keysAreOneJob],
  ['9 and 10', noJobFailsNeedlessly],
  ['12', cancellationsHold],
  ['13', limitsOfKeysHold],
  ['14', removalsHold],
  ['15', webhooksAreTold],
  ['16', reusedResultsAreOwn],
]

/** Adds the violations to the record of the run. */
export async function checkInvariants(world: World, organizations: readonly Organization[]): Promise<void> {
  const history = historyOf(world, organizations, world.events.ever.map(rawEvent))
  for (const [number, check] of checks)
    for (const problem of await check(history)) world.record.violations.push(`${number}: ${problem}`)
}
