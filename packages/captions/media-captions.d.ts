/** The parts of the library that we use: its own types import files without extension, which does not resolve here. */
declare module 'media-captions' {
  export function parseText(
    text: string,
    options: { type: 'vtt' | 'srt'; strict: boolean; errors: boolean },
  ): Promise<{ cues: { startTime: number; endTime: number; text: string }[] }>
}
