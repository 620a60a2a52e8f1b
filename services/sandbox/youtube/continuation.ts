/** The link to the next page of a list: a token with the place in it, in a format of the sandbox. */
export function continuationOf(place: object, kind: 'BROWSE' | 'SEARCH'): object {
  const token = Buffer.from(JSON.stringify(place)).toString('base64url')
  const webCommandMetadata = { sendPost: true, apiUrl: `/youtubei/v1/${kind.toLowerCase()}` }
  return {
    continuationItemRenderer: {
      trigger: 'CONTINUATION_TRIGGER_ON_ITEM_SHOWN',
      continuationEndpoint: {
        clickTrackingParams: 'CC8Qt6kLGAEiEwsandbox',
        commandMetadata: { webCommandMetadata },
        continuationCommand: { token, request: `CONTINUATION_REQUEST_TYPE_${kind}` },
      },
    },
  }
}
