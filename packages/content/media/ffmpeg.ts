import type { ConfinedOptions, Launcher } from './launcher.ts'

export type FfmpegOptions = ConfinedOptions & {
  launcher: Launcher
  /** The kind of input to accept. Default: media. */
  reads?: keyof typeof formats
  /** All arguments after the safety options: at least `-i PATH` and an output. */
  args: readonly string[]
}

/**
 * Options of every input. ffmpeg detects formats by content, not by name: a playlist or a concat script called `.mp4`
 * would open other files and addresses. Only both lists together prevent that.
 */
const guardedFor = ({ reads = 'media' }: FfmpegOptions): string[] => [
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  formats[reads],
]

/** Demuxers, by type of input. SVG does not count as a picture: it is a document that names other files. */
const formats = {
  media: 'mov,mp3,wav,matroska,ogg,flac,aac',
  picture: 'jpeg_pipe,png_pipe,webp_pipe',
} as const

/**
 * Runs ffmpeg, confined, on one local file. Never pass a URL, nor a directory with files that it must not read. The
 * safety options go before each `-i`, so every input is covered. Two threads at most.
 * @throws ConfinedError; the signal's reason when aborted
 */
export function ffmpeg(options: FfmpegOptions): Promise<{ stdout: Buffer; stderr: string }> {
  const guarded = ['-threads', '2', ...guardedFor(options)]
  const args = options.args.flatMap((arg) => (arg === '-i' ? [...guarded, arg] : [arg]))
  const fixed = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-filter_threads', '1']
  return options.launcher.run('ffmpeg', [...fixed, ...args], options)
}

/** Runs ffprobe, confined, on one local file. @throws ConfinedError; the signal's reason when aborted */
export function ffprobe(options: FfmpegOptions): Promise<{ stdout: Buffer; stderr: string }> {
  return options.launcher.run(
    'ffprobe',
    ['-hide_banner', '-loglevel', 'error', '-threads', '2', ...guardedFor(options), ...options.args],
    options,
  )
}
