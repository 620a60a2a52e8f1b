/** Apps of YouTube that are answered without a proof token, in the order in which they are tried. */
export const tokenFreeApps = ['VISIONOS', 'ANDROID'] as const
export type TokenFreeApp = (typeof tokenFreeApps)[number]
