import { readManifest } from '#packages/history/archive/manifest.ts'

/**
 * Finds the streams of an organization's jobs and keys in archives that exist. DuckDB is large, so it is loaded on
 * first use.
 */
export const archivedIn =
  (directories: readonly string[]) =>
  async (orgId: string): Promise<string[]> => {
    const streams: string[] = []
    for (const directory of directories) {
      if (readManifest(directory) === undefined) continue
      const { readArchive } = await import('#packages/history/archive/open-archive.ts')
      const { streamsOfOrganization } = await import('#packages/history/archive/streams-of-organization.ts')
      streams.push(
        ...(await readArchive(directory, { threads: 1 }, (archive) => streamsOfOrganization(archive, orgId))),
      )
    }
    return streams
  }
