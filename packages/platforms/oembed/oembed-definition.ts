/** A platform's public oEmbed interface (oembed.com): what a page shows that embeds a video. */
export type OembedDefinition = {
  /** With the parameters that it takes besides the video's `url`. */
  endpoint: string
  /** Those of the client that it answers. */
  headers?: Readonly<Record<string, string>>
  /** The video's title, where the answer has it in its `html` only. */
  titleIn?(html: string): string | null
}
