/** YouTube's apps that get answers without a proof token, in the order of trying. */
export const tokenFreeApps = ['VISIONOS', 'ANDROID'] as const
export type TokenFreeApp = (typeof tokenFreeApps)[number]
