/** Whether a file is a program by its name: the page of an error is a file that is sent as it is. */
export const isScriptFile = (path: string): boolean =>
  /\.(?:php\d*|phtml|pht|phar|phps|inc)$/i.test(path)
