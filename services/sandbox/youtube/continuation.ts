/** The link to the next page of a list: a token with the place in it, in a format of the sandbox. */
export function continuationOf(place: object): object {
  const token = Buffer.from(JSON.stringify(place)).toString('base64url')
  return { continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token } } } }
}
