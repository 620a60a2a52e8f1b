/** A proof token. It is valid only for its content, and only from the address through which it was minted. */
export const mintToken = (content: string, exit: string | undefined): string =>
  // Padded, because yt-dlp expects it.
  Buffer.from(JSON.stringify([content, exit ?? null]))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')

export const isTokenFor = (token: string | undefined, content: string, exit: string | undefined): boolean =>
  token === mintToken(content, exit)
