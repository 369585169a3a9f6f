/** Files that are code: run or refused, never shown. */
const SCRIPT_SOURCE = /\.(?:php\d*|phtml|pht|phar|phps|inc)$/i

/** Whether a file must not be sent as it is because it is a program. */
export const isScriptSource = (file: string): boolean => SCRIPT_SOURCE.test(file)
