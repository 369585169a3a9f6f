/** An entry of a home directory, as the API returns it. */
export interface FileEntry {
  name: string
  /** Relative to the home, without leading slash; '' is the home itself. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  size: number
  /** Four octal digits, e.g. `0644`. */
  permissions: string
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  modified_at: string
  owner: string
}

/** Contents of a file: text when it is valid UTF-8, else base64. */
export interface FileContent {
  path: string
  content: string
  encoding: 'utf8' | 'base64'
  size: number
  modified_at: string
}

/** Largest piece of an upload or download. */
export const PIECE_BYTES = 2 ** 20

/** Some bytes of a file. */
export interface FilePart {
  /** Base64. */
  content: string
  /** Of the whole file. */
  size: number
  modified_at: string
  /** Changes with the content. */
  identity: string
}

/**
 * Files of an account's home, done as the account's uid. `path` is relative to
 * the home and already normalised by `domain/home-path`; the host checks it
 * again, and no step follows a symbolic link out of the home. Errors: 404 no
 * such path, 409 wrong kind (a directory where a file is wanted), 413 too
 * large or over quota, 403 not permitted to the account.
 */
export interface FilesPort {
  /** Entries of a directory by name, links as links. 413 for more than 20 000. */
  list(input: { username: string; path: string }): Promise<FileEntry[]>
  /** At most `maxBytes`; larger files are 413. */
  read(input: { username: string; path: string; maxBytes: number }): Promise<FileContent>
  /** Writes to a temporary file beside and renames; the old content stays until then. Mode 0644 when new. */
  write(input: {
    username: string
    path: string
    content: string
    encoding: 'utf8' | 'base64'
  }): Promise<FileEntry>
  /** Creates the directory and missing parents (0755). 409 when it exists. */
  mkdir(input: { username: string; path: string }): Promise<FileEntry>
  /** `mode` is 3 or 4 octal digits without setuid, setgid, sticky. */
  chmod(input: { username: string; path: string; mode: string }): Promise<FileEntry>
  /** Recursive for directories; links are removed, not followed. The home itself is 400. */
  delete(input: { username: string; path: string }): Promise<void>
  /** Begins a file of any size that comes in pieces; what is at `path` stays until `endUpload`. */
  beginUpload(input: { username: string; path: string }): Promise<{ token: string }>
  /** The next piece, base64, at most `PIECE_BYTES`; `offset` counts what came before. 409 when it does not fit to that. */
  appendUpload(input: {
    username: string
    path: string
    token: string
    offset: number
    content: string
  }): Promise<void>
  /** Renames it into place. `size` is that of the whole. */
  endUpload(input: {
    username: string
    path: string
    token: string
    size: number
  }): Promise<FileEntry>
  /** Removes what has come. Gone already: no error. */
  abortUpload(input: { username: string; path: string; token: string }): Promise<void>
  /** At most `length` bytes from `offset`; 409 when the file is not the one of `identity` any more. */
  readPart(input: {
    username: string
    path: string
    offset: number
    length: number
    identity: string | null
  }): Promise<FilePart>
  /** Another name or place; nothing is overwritten (409). */
  move(input: { username: string; path: string; to: string }): Promise<FileEntry>
  /** Links are copied as links; nothing is overwritten (409), what fails leaves nothing. */
  copy(input: { username: string; path: string; to: string }): Promise<FileEntry>
  /** Packs `paths`, each under its last part, into a new `.tar.gz`. `skipped`: devices, links that lead out. */
  archive(input: {
    username: string
    paths: string[]
    to: string
  }): Promise<{ entry: FileEntry; entries: number; skipped: number }>
  /** Takes a `.tar.gz`, `.tar` or `.zip` out into a directory; all or nothing. 409 for a hostile one, 413 over quota or 100000 entries. */
  extract(input: {
    username: string
    path: string
    to: string
    overwrite: boolean
  }): Promise<{ entries: number }>
}
