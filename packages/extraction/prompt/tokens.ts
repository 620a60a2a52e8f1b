/**
 * Bytes of UTF-8 that are surely more than half a token: English has about four to a token, other alphabets three or
 * less. Rather too many tokens are counted than too few.
 */
const BYTES_PER_TOKEN = 2.5

/** What a picture of at most 512 pixels a side counts as, at most, with most models. */
export const TOKENS_PER_FRAME = 500

/** About how many tokens a text is, rather too many than too few. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
