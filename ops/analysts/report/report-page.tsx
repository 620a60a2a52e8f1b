export const reportPage = async (_: unknown): Promise<string> => ''
