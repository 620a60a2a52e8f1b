/**
 * A low estimate of the UTF-8 bytes per token, so that rather too many tokens are counted. English has about four,
 * other alphabets three or less.
 */
const BYTES_PER_TOKEN = 2.5

/** How many tokens a picture of at most 512 pixels a side costs at most, for most models. */
export const TOKENS_PER_FRAME = 500

/** Estimates the tokens of a text, rather too many than too few. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
