const PATH = /^\/(?!\/|\.{1,2}(?:\/|$))(?:[^\s%?#\\*/]|\/(?!\/|\.{1,2}(?:\/|$)))*$/

/** Whether a text is a path of a site, decoded, that stands for all below it as well. */
export const isPathPrefix = (text: string): boolean => PATH.test(text)
