import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from './certificate.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/** The outside world over https too. `caFile` is for EGRESS_CA_FILE, and is in `directory`. */
export type SecuredWorld = World & { caFile: string; directory: string }

export async function startSecuredWorld(options: Omit<WorldOptions, 'certificate'>): Promise<SecuredWorld> {
  await using opening = new AsyncDisposableStack()
  const { path: directory } = opening.use(await temporaryDirectory())
  const certificate = await makeCertificate(directory, ['*.example.com', ...(options.hosts ?? [])])
  const world = opening.use(await startWorld({ ...options, certificate }))
  const end = opening.move()
  return { ...world, directory, caFile: certificate.file, [Symbol.asyncDispose]: () => end.disposeAsync() }
}
