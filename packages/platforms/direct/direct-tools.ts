import type { Segment } from '#packages/content/captions/clean.ts'
import { type EmbeddedTrack, type ReadOptions, readEmbedded } from '#packages/content/captions/read-embedded.ts'
import type { Launcher } from '#packages/content/media/launcher.ts'
import { type MediaInfo, type ProbeOptions, probe } from '#packages/content/media/probe.ts'

/** The programs that read the files. */
export type DirectTools = {
  probe(path: string, options: Omit<ProbeOptions, 'launcher'>): Promise<MediaInfo>
  readEmbedded(path: string, track: EmbeddedTrack, options: Omit<ReadOptions, 'launcher'>): Promise<Segment[]>
}

export const directTools = (launcher: Launcher): DirectTools => ({
  probe: (path, options) => probe(path, { ...options, launcher }),
  readEmbedded: (path, track, options) => readEmbedded(path, track, { ...options, launcher }),
})
