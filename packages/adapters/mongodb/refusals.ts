import { MongoServerError, MongoServerSelectionError, type TopologyDescription } from 'mongodb'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { firstWithTls, placesOf, tlsAdviceFor, tlsTroubleOf } from '../tls-troubles.ts'

const defaultPort = 27_017
const wrongPassword = 18
const notAuthorized = 13
const notAReplicaSet = 20

const adviceByCode = new Map([
  [wrongPassword, 'it does not know the user and password of MONGODB_URL, or not in the authSource that it names'],
  [notAuthorized, 'the user of MONGODB_URL may not use its database; grant it the role readWrite there'],
  [notAReplicaSet, 'it is no member of a replica set; start it with --replSet and call rs.initiate() once'],
])

const tlsAdvice = tlsAdviceFor('MONGODB_URL')

const refused = (advice: string, cause: unknown): RefusedError => new RefusedError('the database', advice, cause)

/** Advice for reachable servers that cannot be used: the driver reports only that it found none in time. */
function adviceOfTopology(reason: TopologyDescription | undefined): string | undefined {
  if (reason === undefined || !String(reason.type).startsWith('ReplicaSet')) return undefined
  if (reason.servers.size === 0)
    return 'no host of MONGODB_URL is in the replica set that it names; mend replicaSet in MONGODB_URL'
  const isGhost = [...reason.servers.values()].every(({ type }) => type === 'RSGhost')
  return isGhost ? 'its replica set was not begun; call rs.initiate() once' : undefined
}

/** The port's error for a refusal in the driver's error; undefined for any other error. */
export function refusalOf(error: unknown): RefusedError | undefined {
  if (error instanceof RefusedError) return error
  if (error instanceof MongoServerError) {
    const advice = adviceByCode.get(Number(error.code))
    // The server's own message is left out: it contains the whole command with its values.
    return advice === undefined ? undefined : refused(advice, new Error(`${error.codeName ?? error.code}`))
  }
  if (!(error instanceof Error)) return undefined
  const trouble = tlsTroubleOf(error)
  if (trouble !== undefined) return refused(tlsAdvice[trouble], error)
  const topology = error instanceof MongoServerSelectionError ? adviceOfTopology(error.reason) : undefined
  return topology === undefined ? undefined : refused(topology, error)
}

/** The refusal if servers that end every connection require TLS. @param hosts those of a URL without TLS */
export async function wantsTls(hosts: string, withinMs: number): Promise<RefusedError | undefined> {
  const found = await firstWithTls(placesOf(hosts, defaultPort), withinMs)
  const alone = found && new Error(`${found.host}:${found.port}, tried by itself`)
  return alone && refused('it speaks TLS; put tls=true into MONGODB_URL', alone)
}
