/** A platform's public oEmbed interface (oembed.com): what a page that embeds a video shows. */
export type OembedDefinition = {
  /** Includes the parameters that it takes in addition to the video's `url`. */
  endpoint: string
  /** The headers of a client that it answers. */
  headers?: Readonly<Record<string, string>>
  /** The video's title, if the answer has it only in its `html`. */
  titleIn?(html: string): string | null
}
