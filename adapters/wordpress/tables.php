<?php
/** Sends the tables of a site, and takes them into a database; see runner.php. */

namespace Berth\Runner;

const BATCH_BYTES = 1048576;
const IS_NULL = 0xffffffff;
const MOST_TABLES = 20000;

/** Loads of a WordPress what it reaches its database with, and nothing of its plugins and themes. */
function loadDatabase(array $order): void
{
	if (!defined('SHORTINIT')) define('SHORTINIT', true);
	load($order['folder'], $order['url']);
	global $wpdb;
	if (!is_object($wpdb) || !defined('DB_NAME')) throw new Refusal('It does not come up.');
	$wpdb->hide_errors();
}

/** A name as it stands in a statement. */
function named(string $name): string
{
	return '`' . str_replace('`', '``', $name) . '`';
}

/** A connection of its own, in which bytes are what they are. */
function connect(string $name, string $user, string $password, string $host): \mysqli
{
	mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
	[$address, $rest] = explode(':', $host, 2) + ['', null];
	$socket = $rest !== null && $rest !== '' && $rest[0] === '/' ? $rest : null;
	$db = new \mysqli($address === '' ? 'localhost' : $address, $user, $password, $name, $socket === null && $rest !== null ? (int) $rest : null, $socket);
	$db->set_charset('binary');
	$db->query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00', foreign_key_checks = 0");
	return $db;
}

function connectAsSite(array $order): \mysqli
{
	loadDatabase($order);
	return connect(DB_NAME, DB_USER, DB_PASSWORD, DB_HOST);
}

/** Names of the tables of a site, without views. */
function tablesOf(\mysqli $db): array
{
	global $wpdb;
	$like = $db->real_escape_string(addcslashes($wpdb->base_prefix, '_%\\'));
	$column = 'Tables_in_' . DB_NAME;
	$found = $db->query("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE' AND " . named($column) . " LIKE '$like%'");
	$names = array_column($found->fetch_all(), 0);
	if (count($names) > MOST_TABLES) throw new Refusal('It has more than ' . MOST_TABLES . ' tables, and so many are not copied.');
	return $names;
}

/** What of a site a copy is made of. */
function survey(array $order): array
{
	$db = connectAsSite($order);
	global $wpdb;
	$said = static function (string $option, string $constant) use ($wpdb): string {
		if (defined($constant)) return rtrim((string) constant($constant), '/');
		return rtrim((string) $wpdb->get_var("SELECT option_value FROM {$wpdb->base_prefix}options WHERE option_name = '$option'"), '/');
	};
	$facts = [];
	foreach ($db->query('SHOW TABLE STATUS')->fetch_all(MYSQLI_ASSOC) as $row) $facts[$row['Name']] = $row;
	$tables = [];
	foreach (tablesOf($db) as $name)
		$tables[] = [
			'name' => $name,
			'rows' => (int) ($facts[$name]['Rows'] ?? 0),
			'bytes' => (int) ($facts[$name]['Data_length'] ?? 0) + (int) ($facts[$name]['Index_length'] ?? 0),
		];
	return [
		'files' => sizeOf($order['folder'], $order['without']),
		'database' => DB_NAME,
		'prefix' => $wpdb->base_prefix,
		'tables' => $tables,
		'home' => $said('home', 'WP_HOME'),
		'siteurl' => $said('siteurl', 'WP_SITEURL'),
		'keys' => keysOf($db),
		'network' => networkFacts($db),
	];
}

/** Columns that are written, i.e. not computed, with whether they are bits. */
function writtenColumns(\mysqli $db, string $table): array
{
	$columns = [];
	foreach ($db->query('SHOW COLUMNS FROM ' . named($table))->fetch_all(MYSQLI_ASSOC) as $column)
		if (stripos($column['Extra'], 'GENERATED') === false)
			$columns[] = [$column['Field'], stripos($column['Type'], 'bit') === 0];
	return $columns;
}

/** Sends tables (`tables`: null is all) as they are at one moment. */
function packTables(array $order): array
{
	$db = connectAsSite($order);
	$out = Frames::toSend();
	$db->query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
	$db->query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
	$sent = 0;
	foreach (tablesOf($db) as $table) {
		if ($order['tables'] !== null && !in_array($table, $order['tables'], true)) continue;
		$create = $db->query('SHOW CREATE TABLE ' . named($table))->fetch_row()[1];
		$columns = writtenColumns($db, $table);
		$out->send('t', json_encode(['name' => $table, 'create' => $create, 'columns' => $columns], JSON_INVALID_UTF8_SUBSTITUTE));
		$list = implode(', ', array_map(static fn ($column) => $column[1] ? named($column[0]) . ' + 0' : named($column[0]), $columns));
		$rows = $db->query("SELECT $list FROM " . named($table), MYSQLI_USE_RESULT);
		$batch = '';
		while (($row = $rows->fetch_row()) !== null) {
			foreach ($row as $value) $batch .= $value === null ? pack('N', IS_NULL) : pack('N', strlen((string) $value)) . $value;
			if (strlen($batch) < BATCH_BYTES) continue;
			$out->send('r', $batch);
			$batch = '';
		}
		if ($batch !== '') $out->send('r', $batch);
		$rows->free();
		$sent++;
	}
	$out->end();
	return ['tables' => $sent];
}

/** The rows of a piece as a statement has them. */
function valuesOf(\mysqli $db, string $batch, array $columns): string
{
	$rows = [];
	for ($at = 0; $at < strlen($batch);) {
		$values = [];
		foreach ($columns as [, $isBit]) {
			if (strlen($batch) - $at < 4) throw new Refusal('What was sent is not whole.');
			$length = unpack('N', $batch, $at)[1];
			$at += 4;
			if ($length === IS_NULL) {
				$values[] = 'NULL';
				continue;
			}
			if (strlen($batch) - $at < $length) throw new Refusal('What was sent is not whole.');
			$value = substr($batch, $at, $length);
			$at += $length;
			$values[] = $isBit && ctype_digit($value) ? $value : "'" . $db->real_escape_string($value) . "'";
		}
		$rows[] = '(' . implode(',', $values) . ')';
	}
	return implode(',', $rows);
}

/**
 * Takes tables into a database: that of the order, or the site's own. `names` says under which name
 * each is to come; one that is not in it keeps its own. Foreign keys come by themselves into the
 * site's own database (`bindTables`), where tables of the same names are.
 */
function unpackTables(array $order): array
{
	$given = $order['database'];
	$db = $given === null ? connectAsSite($order) : connect($given['name'], $given['user'], $given['password'], $given['host']);
	$in = Frames::toTake();
	$names = (array) ($order['names'] ?? []);
	$table = null;
	$columns = [];
	$taken = [];
	$db->query('START TRANSACTION');
	while (($frame = $in->take()) !== null) {
		[$kind, $bytes] = $frame;
		if ($kind === 't') {
			$said = json_decode($bytes, true);
			$name = is_array($said) ? (string) ($said['name'] ?? '') : '';
			$columns = is_array($said['columns'] ?? null) ? $said['columns'] : [];
			$create = (string) ($said['create'] ?? '');
			$begin = 'CREATE TABLE ' . named($name);
			if ($name === '' || $columns === [] || strpos($create, "$begin (") !== 0) throw new Refusal('What was sent is no table.');
			$db->query('COMMIT');
			$table = $names[$name] ?? $name;
			if ($given === null) $create = withoutKeys($create);
			$db->query('CREATE TABLE ' . named($table) . substr($create, strlen($begin)));
			$db->query('START TRANSACTION');
			$taken[] = $name;
		} elseif ($kind === 'r' && $table !== null) {
			$list = implode(', ', array_map(static fn ($column) => named((string) $column[0]), $columns));
			$db->query('INSERT INTO ' . named($table) . " ($list) VALUES " . valuesOf($db, $bytes, $columns));
		} else throw new Refusal('What was sent is of no known kind.');
	}
	$db->query('COMMIT');
	return ['tables' => $taken];
}
