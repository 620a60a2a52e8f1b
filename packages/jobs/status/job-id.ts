const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text may be the id of a job. No other text is looked up. */
export const isJobId = (text: string): boolean => isUuid.test(text)
