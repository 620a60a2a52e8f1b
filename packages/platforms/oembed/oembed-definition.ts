/**
 * A platform's public oEmbed interface (oembed.com), which returns the parts of a video that a page shows when it
 * embeds the video.
 */
export type OembedDefinition = {
  /** Includes the parameters that it takes in addition to the video's `url`. */
  endpoint: string
  /** The headers that it requires of a client. */
  headers?: Readonly<Record<string, string>>
  /** The video's title, if the answer has it only in its `html`. */
  titleIn?(html: string): string | null
}
