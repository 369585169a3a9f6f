/** Texts of uploads, which go on while other pages are shown. */
export const uploads = {
  action: 'Upload',
  title: 'Uploads',
  state: {
    waiting: 'Waiting',
    running: (percent: number) => `${percent} %`,
    done: 'Done',
    cancelled: 'Cancelled',
  },
  cancel: (name: string) => `Cancel the upload of ${name}`,
  into: (account: string, folder: string) => `${account}: ${folder}`,
  clear: 'Close the list of uploads',
  sum: (done: number, all: number) => `${done} of ${all} uploaded`,
  broken: 'The connection broke off. Nothing was changed; upload it again.',
  replaceTitle: (count: number) => (count === 1 ? 'Replace a file?' : `Replace ${count} files?`),
  replaceLead: 'There are files of these names in the folder already:',
  replace: 'Replace',
}
