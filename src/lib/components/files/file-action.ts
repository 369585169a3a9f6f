/** What can be done with an entry. */
export type FileAction =
  | 'open'
  | 'edit'
  | 'preview'
  | 'download'
  | 'rename'
  | 'permissions'
  | 'archive'
  | 'extract'
  | 'delete'
