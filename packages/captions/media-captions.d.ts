/** What is used of the library: its own types name their files without endings, which TypeScript cannot follow here. */
declare module 'media-captions' {
  export function parseText(
    text: string,
    options: { type: 'vtt' | 'srt'; strict: boolean; errors: boolean },
  ): Promise<{ cues: { startTime: number; endTime: number; text: string }[] }>
}
