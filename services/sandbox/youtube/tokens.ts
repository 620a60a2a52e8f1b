/** A proof token: YouTube lets it in only for the content it was minted for, from the address it was minted through. */
export const mintToken = (content: string, exit: string | undefined): string =>
  // padded, as yt-dlp wants it
  Buffer.from(JSON.stringify([content, exit ?? null]))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')

export const isTokenFor = (token: string | undefined, content: string, exit: string | undefined): boolean =>
  token === mintToken(content, exit)
