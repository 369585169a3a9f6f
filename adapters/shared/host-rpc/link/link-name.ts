/** Name that a panel or host has at the link; nothing looks it up. */
export const linkName = (id: string): string => `${id}.berth.internal`
