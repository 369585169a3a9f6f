<?php
/** Replaces an address in the database of a WordPress; see runner.php. */

namespace Berth\Runner;

/** Values that WordPress and its plugins keep: plain, JSON, and what PHP has serialised, at any depth. */
final class Replacer
{
	private const MOST_DEPTH = 100;
	private const MOST_NESTED = 5;
	/** That a statement looks for one by one; of more it looks for what all have. */
	private const MOST_PARTS = 20;

	/** How often something was replaced. */
	public int $count = 0;
	/** What comes instead, also as JSON has it. @var array<string, string> */
	private array $pairs = [];
	private string $pattern;
	/** What comes instead of hosts, and of folders of them. @var array<string, string> */
	private array $hosts = [];
	/** Of every value that holds one of them, a part. @var string[] */
	private array $parts = [];

	/**
	 * @param array<string, string> $pairs What comes instead of each address or folder; all at once, so none is replaced twice.
	 * @param array<string, string> $hosts The same for `host` or `host/folder`, as addresses without a slash at their end: any
	 *   number of them, whatever scheme stands before one.
	 */
	public function __construct(array $pairs, array $hosts = [])
	{
		$this->hosts = $hosts;
		foreach ($pairs as $from => $to) {
			$this->pairs[$from] = $to;
			$this->pairs[str_replace('/', '\\/', $from)] = str_replace('/', '\\/', $to);
			$part = $from[0] === '/' ? basename($from) : explode('/', preg_replace('~^https?://~', '', $from))[0];
			if (!in_array($part, $this->parts, true)) $this->parts[] = $part;
		}
		$all = array_map('strval', array_keys($this->pairs));
		usort($all, static fn (string $a, string $b): int => strlen($b) - strlen($a));
		// An address that only begins so is another one.
		$this->pattern = '~(?:' . implode('|', array_map(static fn ($from) => preg_quote($from, '~'), $all)) . ')(?![A-Za-z0-9_-]|\.[A-Za-z0-9])~';
		if ($hosts === []) return;
		// Each is looked up, so that the pattern stays as long as it is for two of them.
		$folders = [];
		foreach (array_keys($hosts) as $host) {
			$folder = strstr((string) $host, '/');
			if ($folder !== false) $folders[$folder] = str_replace('/', '\\\\?/', preg_quote($folder, '~'));
		}
		usort($folders, static fn (string $a, string $b): int => strlen($b) - strlen($a));
		$folder = $folders === [] ? '()' : '(' . implode('|', $folders) . '|)';
		$this->pattern = '~(?<other>' . substr($this->pattern, 1, -1) . ')|(?<![A-Za-z0-9:])(?:https?:)?(?<slash>\\\\?/)\\\\?/(?<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?+)(?<folder>' . $folder . ')(?![A-Za-z0-9_-])~i';
		foreach (array_keys($hosts) as $host) $this->parts[] = explode('/', (string) $host)[0];
		if (count($hosts) > self::MOST_PARTS) $this->parts = ['//', '\\/\\/', ...array_values(array_filter($this->parts, static fn ($part) => !isset($hosts[$part])))];
		$this->parts = array_values(array_unique($this->parts));
	}

	/** What comes instead of something that was found. */
	private function instead(array $found): string
	{
		$host = strtolower($found['host'] ?? '');
		if ($host === '') return $this->pairs[$found[0]] ?? $found[0];
		$folder = str_replace('\\', '', $found['folder']);
		$to = $this->hosts["$host$folder"] ?? null;
		$rest = '';
		if ($to === null && isset($this->hosts[$host])) [$to, $rest] = [$this->hosts[$host], $found['folder']];
		if ($to === null) return $found[0];
		$this->count++;
		// Without a scheme it stays so: the page's own counts.
		if (strncasecmp($found[0], 'http', 4) !== 0) $to = strstr($to, '//');
		return ($found['slash'] === '/' ? $to : str_replace('/', '\\/', $to)) . $rest;
	}

	/** @return string[] Texts of which every value that holds one of them has one. */
	public function parts(): array
	{
		return $this->parts;
	}

	private function holdsNone(string $value): bool
	{
		foreach ($this->parts as $part) if (strpos($value, $part) !== false) return false;
		return true;
	}

	public function in(string $value, int $nested = 0): string
	{
		if ($this->holdsNone($value)) return $value;
		if ($nested < self::MOST_NESTED && preg_match('/^[abdisCENOR][:;]/', $value) === 1) {
			$at = 0;
			$before = $this->count;
			$new = $this->serialised($value, $at, $nested, 0);
			if ($new !== null && $at === strlen($value)) return $new;
			$this->count = $before;
		}
		if ($this->hosts !== []) return preg_replace_callback($this->pattern, fn ($found) => $this->instead($found), $value) ?? $value;
		$value = preg_replace_callback($this->pattern, fn ($found) => $this->pairs[$found[0]], $value, -1, $found) ?? $value;
		$this->count += (int) $found;
		return $value;
	}

	/** One serialised value from `$at` on, which is moved behind it; null where it is none. */
	private function serialised(string $text, int &$at, int $nested, int $depth): ?string
	{
		$kind = $text[$at] ?? '';
		if ($depth > self::MOST_DEPTH) return null;
		switch ($kind) {
			case 'N':
				return $this->exactly($text, $at, 'N;');
			case 'b': case 'i': case 'd': case 'r': case 'R':
				$end = strpos($text, ';', $at);
				if ($end === false || $end - $at > 60) return null;
				$whole = substr($text, $at, $end + 1 - $at);
				$at = $end + 1;
				return $whole;
			case 's':
				$inner = $this->counted($text, $at, 's:', '"', '";');
				if ($inner === null) return null;
				$new = $this->in($inner, $nested + 1);
				return 's:' . strlen($new) . ':"' . $new . '";';
			case 'E':
				$inner = $this->counted($text, $at, 'E:', '"', '";');
				return $inner === null ? null : 'E:' . strlen($inner) . ':"' . $inner . '";';
			case 'C':
				$class = $this->counted($text, $at, 'C:', '"', '":');
				if ($class === null) return null;
				$inner = $this->counted($text, $at, '', '{', '}');
				return $inner === null ? null : 'C:' . strlen($class) . ':"' . $class . '":' . strlen($inner) . ':{' . $inner . '}';
			case 'O':
				$class = $this->counted($text, $at, 'O:', '"', '":');
				if ($class === null) return null;
				$members = $this->members($text, $at, $nested, $depth);
				return $members === null ? null : 'O:' . strlen($class) . ':"' . $class . '":' . $members;
			case 'a':
				if ($this->exactly($text, $at, 'a:') === null) return null;
				$members = $this->members($text, $at, $nested, $depth);
				return $members === null ? null : 'a:' . $members;
		}
		return null;
	}

	/** `N:{` key value … `}`; keys stay as they are. */
	private function members(string $text, int &$at, int $nested, int $depth): ?string
	{
		if (preg_match('/\G(\d{1,9}):\{/', $text, $found, 0, $at) !== 1) return null;
		$at += strlen($found[0]);
		$new = $found[0];
		for ($n = (int) $found[1]; $n > 0; $n--) {
			$from = $at;
			$kind = $text[$at] ?? '';
			if ($kind === 's') {
				if ($this->counted($text, $at, 's:', '"', '";') === null) return null;
			} elseif ($kind !== 'i' || $this->serialised($text, $at, $nested, $depth + 1) === null) return null;
			$new .= substr($text, $from, $at - $from);
			$value = $this->serialised($text, $at, $nested, $depth + 1);
			if ($value === null) return null;
			$new .= $value;
		}
		return $this->exactly($text, $at, '}') === null ? null : $new . '}';
	}

	/** What stands in `<kind><length>:<open>…<close>`. */
	private function counted(string $text, int &$at, string $kind, string $open, string $close): ?string
	{
		if (preg_match('/\G' . preg_quote($kind, '/') . '(\d{1,9}):' . preg_quote($open, '/') . '/', $text, $found, 0, $at) !== 1) return null;
		$start = $at + strlen($found[0]);
		$length = (int) $found[1];
		if (substr($text, $start + $length, strlen($close)) !== $close) return null;
		$at = $start + $length + strlen($close);
		return substr($text, $start, $length);
	}

	private function exactly(string $text, int &$at, string $what): ?string
	{
		if (substr($text, $at, strlen($what)) !== $what) return null;
		$at += strlen($what);
		return $what;
	}
}

/** Columns of a table that hold texts, and those that name a row. */
function columnsOf(string $table): array
{
	global $wpdb;
	$texts = [];
	$keys = [];
	foreach ($wpdb->get_results("SHOW COLUMNS FROM `$table`", ARRAY_A) as $column) {
		if ($column['Key'] === 'PRI') $keys[] = $column['Field'];
		if (preg_match('/char|text|json/i', $column['Type']) === 1) $texts[] = $column['Field'];
	}
	// Names of articles for feed readers, which stay what they were.
	return [array_values(array_diff($texts, $keys, ['guid'])), $keys];
}

/** Replaces an address everywhere in the database, all or nothing; with `dryRun` it only counts. */
function replaceAddress(array $order): array
{
	load($order['folder'], $order['url']);
	global $wpdb;
	$wpdb->hide_errors();
	$tables = $wpdb->get_col($wpdb->prepare('SHOW TABLES LIKE %s', $wpdb->esc_like($wpdb->prefix) . '%'));
	$done = replaceIn($tables, new Replacer([$order['from'] => $order['to']]), $order['dryRun']);
	if (!$order['dryRun']) wp_cache_flush();
	return $done;
}

/** The same in some tables. */
function replaceIn(array $tables, Replacer $replacer, bool $dryRun): array
{
	global $wpdb;
	$likes = array_map(static fn ($part) => '%' . $wpdb->esc_like($part) . '%', $replacer->parts());
	$rows = 0;
	$skipped = [];
	$wpdb->query('START TRANSACTION');
	$name = static fn (string $column): string => '`' . str_replace('`', '``', $column) . '`';
	foreach ($tables as $table) {
		$table = str_replace('`', '``', $table);
		[$texts, $keys] = columnsOf($table);
		if ($texts === []) continue;
		$conditions = [];
		foreach ($texts as $column)
			foreach ($likes as $like) $conditions[] = $wpdb->prepare($name($column) . ' LIKE %s', $like);
		$where = implode(' OR ', $conditions);
		if ($keys === []) {
			if ($wpdb->get_var("SELECT COUNT(*) FROM `$table` WHERE $where") > 0) $skipped[] = $table;
			continue;
		}
		$named = implode(', ', array_map($name, $keys));
		foreach ($wpdb->get_results("SELECT $named FROM `$table` WHERE $where", ARRAY_A) as $key) {
			$which = implode(' AND ', array_map(static fn ($column) => $wpdb->prepare($name($column) . ' = %s', $key[$column]), $keys));
			$row = $wpdb->get_row('SELECT ' . implode(', ', array_map($name, $texts)) . " FROM `$table` WHERE $which", ARRAY_A);
			$changed = [];
			foreach ((array) $row as $column => $value) {
				$new = $value === null ? null : $replacer->in($value);
				if ($new !== $value) $changed[] = $wpdb->prepare($name($column) . ' = %s', $new);
			}
			if ($changed === []) continue;
			$rows++;
			// Its own placeholders for % stand for it until the statement is sent.
			if (!$dryRun && $wpdb->query("UPDATE `$table` SET " . implode(', ', $changed) . " WHERE $which") === false) {
				$wpdb->query('ROLLBACK');
				throw new Refusal("The table $table could not be changed.");
			}
		}
	}
	$wpdb->query($dryRun ? 'ROLLBACK' : 'COMMIT');
	return ['rows' => $rows, 'values' => $replacer->count, 'skipped' => array_slice($skipped, 0, 50)];
}
