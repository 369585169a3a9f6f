<?php
/**
 * Plugin Name: Berth Cache
 * Description: Tells Berth's page cache what each page shows, so that a change makes exactly the pages new that show it.
 * Version: 1
 * Requires at least: 5.6
 * Requires PHP: 7.4
 *
 * A file of its own in wp-content/mu-plugins. Without Berth's page cache in front it does nothing.
 * What it says to the cache (X-Cache-Tag, X-Cache-Purge) never reaches a visitor.
 */

namespace Berth\Cache;

if (!defined('ABSPATH')) exit;

/** Of what this file writes into pages and options; a change makes all pages new. */
const EDITION = 1;
/** Pages with more tags are tagged as showing anything. */
const MOST_TAGS = 1500;
/** More than this many purges are one of everything. */
const MOST_PURGES = 150;

/** Content that no visitor sees. Others without addresses of their own are parts of any page: menus, templates, blocks. */
const HIDDEN_TYPES = [
	'revision', 'customize_changeset', 'oembed_cache', 'user_request', 'scheduled-action', 'shop_order', 'shop_order_refund',
	'shop_order_placehold', 'flamingo_inbound', 'flamingo_contact',
];
/** Options that say nothing of what pages show. */
const QUIET_OPTIONS = [
	'cron', 'rewrite_rules', 'recently_edited', 'recently_activated', 'fresh_site', 'user_count', 'db_upgraded',
	'can_compress_scripts', 'recovery_keys', 'finished_updating_comment_type', 'https_detection_errors',
	'wp_calendar_block_has_published_posts', 'auth_key', 'auth_salt', 'nonce_key', 'nonce_salt', 'logged_in_key',
	'logged_in_salt', 'secret_key', 'admin_email_lifespan', 'auto_plugin_theme_update_emails', 'dismissed_update_core',
	'nav_menu_options', 'theme_switched', 'uninstall_plugins', 'wp_force_deactivated_plugins', 'berth_cache',
	'berth_cache_waiting',
];
/** Options of WordPress itself that pages show; a scheduled task that changes another one is not minded. */
const SHOWN_OPTIONS = [
	'blogname', 'blogdescription', 'home', 'siteurl', 'stylesheet', 'template', 'permalink_structure',
	'category_base', 'tag_base', 'show_on_front', 'page_on_front', 'page_for_posts', 'posts_per_page', 'sticky_posts',
	'sidebars_widgets', 'WPLANG', 'timezone_string', 'gmt_offset', 'date_format', 'time_format', 'site_icon',
	'site_logo', 'active_plugins', 'blog_public', 'default_comment_status', 'comment_registration',
];
/** Fields of posts that WordPress notes for itself. */
const QUIET_FIELDS = '/^_(?:edit_lock|edit_last|pingme|encloseme|trackbackme|oembed_|wp_old_|wp_trash_|wp_desired_|wp_suggested|transient)/';

/** What this request has shown, and what it has changed. */
final class State
{
	/** Tags of the page. @var array<string, true> */
	public static array $shown = [];
	/** Tags to purge, by the host that has them. @var array<string, array<string, true>> */
	public static array $old = [];
	/** Hosts of which everything is to be purged. @var array<string, true> */
	public static array $all = [];
	/** Posts as they were before. @var array<string, \WP_Post> */
	public static array $before = [];
}

/** A tag of this blog; in a network each has its own. */
function tag(string $name): string
{
	return 'wp' . (is_multisite() ? get_current_blog_id() : '') . '-' . $name;
}

function host(): string
{
	return (string) wp_parse_url(home_url(), PHP_URL_HOST);
}

function is_behind_berth(): bool
{
	return isset($_SERVER['PAGE_CACHE_PURGE']) || PHP_SAPI === 'cli';
}

/** Whether somebody who may change the site does something, and no visitor. */
function is_administration(): bool
{
	if (defined('WP_CLI') || PHP_SAPI === 'cli') return true;
	return (is_admin() || (defined('REST_REQUEST') && REST_REQUEST)) && is_user_logged_in();
}

// What a page shows

function shows(string ...$names): void
{
	foreach ($names as $name) State::$shown[tag($name)] = true;
}

/** What a query looks for: the posts that it names, or that it is a list of such things in such an order. */
function shows_query(\WP_Query $query): void
{
	if ($query->is_main_query()) {
		if ($query->is_singular()) return;
		if (shows_archive($query) && is_in_order_of_date($query)) return;
	}
	$named = array_filter([(int) $query->get('p'), (int) $query->get('page_id'), (int) $query->get('attachment_id'), ...array_map('intval', (array) $query->get('post__in'))]);
	if ($named) {
		foreach ($named as $id) shows('post-' . $id);
		return;
	}
	// What a query without filters finds is shown to nobody.
	$isKnown = is_in_order_of_date($query) && !$query->is_singular() && !$query->get('suppress_filters');
	$types = $query->get('post_type') ?: ($query->is_attachment() ? 'attachment' : 'post');
	if (!$query->get('post_type') && ($query->get('tax_query') || $query->is_tax())) $types = 'any';
	foreach ((array) $types as $type) shows(($isKnown ? 'list-' : 'any-') . $type);
}

/** By the date of posts, which only what becomes public or stops being so changes. */
function is_in_order_of_date(\WP_Query $query): bool
{
	foreach ((array) $query->get('orderby') as $key => $value) {
		$order = is_string($key) ? $key : $value;
		if (!in_array($order, ['', 'date', 'post_date', 'ID', 'none'], true)) return false;
	}
	return !$query->get('meta_query') && !$query->get('meta_key') && !$query->is_search();
}

/** Whether an archive is of a kind whose pages are purged by name. */
function shows_archive(\WP_Query $query): bool
{
	if ($query->is_feed()) shows('feed');
	$object = $query->get_queried_object();
	if ($query->is_home()) shows('home');
	elseif ($object instanceof \WP_Term) shows('in-term-' . $object->term_id);
	elseif ($query->is_author()) shows('in-author-' . (int) $query->get_queried_object_id());
	elseif ($query->is_date()) shows('in-date' . date_of($query));
	elseif ($query->is_post_type_archive()) {
		foreach ((array) $query->get('post_type') as $type) shows('in-type-' . $type);
	} else return false;
	return true;
}

/** Of an archive: `-2026`, `-202611`, `-20261126`; empty where it is another part of time. */
function date_of(\WP_Query $query): string
{
	$m = preg_replace('/\D/', '', (string) $query->get('m'));
	if ($m !== '') return '-' . substr($m, 0, 8);
	if (!$query->get('year') || $query->get('w')) return '';
	$date = sprintf('-%04d', $query->get('year'));
	foreach (['monthnum', 'day'] as $part) {
		if (!$query->get($part)) break;
		$date .= sprintf('%02d', $query->get($part));
	}
	return $date;
}

function shows_post(\WP_Post $post): void
{
	shows('post-' . $post->ID, 'author-' . $post->post_author);
}

add_action('pre_get_posts', function (\WP_Query $query): void {
	if ($query->is_main_query()) return;
	shows_query($query);
}, PHP_INT_MAX);

add_filter('the_posts', function ($posts, $query) {
	if ($query->is_main_query()) shows_query($query);
	foreach ((array) $posts as $post) if ($post instanceof \WP_Post) shows_post($post);
	return $posts;
}, PHP_INT_MAX, 2);

foreach (['previous', 'next'] as $side) {
	add_filter("{$side}_post_link", function ($link, $format = '', $text = '', $post = null) {
		if ($post instanceof \WP_Post) shows_post($post);
		return $link;
	}, PHP_INT_MAX, 4);
	// Which post is beside another one in a category depends on more than those two.
	add_filter("get_{$side}_post_where", function ($where, $inTerm = false, $excluded = '') {
		if ($inTerm || $excluded) shows('list-' . (get_post_type() ?: 'post'));
		return $where;
	}, PHP_INT_MAX, 3);
}

add_filter('get_term', function ($term) {
	if ($term instanceof \WP_Term) shows('term-' . $term->term_id);
	return $term;
}, PHP_INT_MAX);

add_action('pre_get_terms', function (\WP_Term_Query $query): void {
	$asked = $query->query_vars;
	if (!empty($asked['object_ids']) || !empty($asked['include']) || !empty($asked['slug'])) return;
	$counts = !empty($asked['show_count']) || ($asked['orderby'] ?? '') === 'count';
	foreach ((array) ($asked['taxonomy'] ?? []) as $taxonomy)
		shows('terms-' . $taxonomy, ...($counts ? ['counts-' . $taxonomy] : []));
}, PHP_INT_MAX);

add_action('pre_get_comments', function (\WP_Comment_Query $query): void {
	if (empty($query->query_vars['post_id'])) shows('comments');
}, PHP_INT_MAX);

foreach (['getarchives_where', 'get_calendar'] as $filter)
	add_filter($filter, function ($value) {
		shows('list-post');
		return $value;
	}, PHP_INT_MAX);

add_filter('wp_get_attachment_url', function ($url, $id = 0) {
	shows('post-' . (int) $id);
	return $url;
}, PHP_INT_MAX, 2);

add_filter('get_pages', function ($pages) {
	shows('any-page');
	return $pages;
}, PHP_INT_MAX);

// The head waits for the body, so that it can tell what the body shows.
add_action('template_redirect', function (): void {
	if (!isset($_SERVER['PAGE_CACHE_PURGE']) || is_user_logged_in()) return;
	ob_start(function (string $body, int $phase): string {
		if (!($phase & PHP_OUTPUT_HANDLER_START) || headers_sent()) return $body;
		State::$shown[tag('all')] = true;
		// A part of the body goes out: nobody knows what the rest will show.
		$isWhole = ($phase & PHP_OUTPUT_HANDLER_FINAL) && count(State::$shown) <= MOST_TAGS;
		header('X-Cache-Tag: ' . ($isWhole ? implode(' ', array_keys(State::$shown)) : tag('all') . ' ' . tag('many')));
		return $body;
	});
}, PHP_INT_MIN);

// What a change makes old

/** @param string ...$names of tags. */
function changed(string ...$names): void
{
	$host = host();
	// A page that shows too much to say it is old with anything.
	foreach ($names ? [...$names, 'many'] : [] as $name) State::$old[$host][tag($name)] = true;
	if (count(State::$old[$host] ?? []) > MOST_PURGES) State::$all[$host] = true;
	tell();
}

function changed_all(): void
{
	State::$all[host()] = true;
	tell();
}

/** Whether visitors see it, on a page of its own or on others. */
function is_public(\WP_Post $post): bool
{
	return $post->post_status === 'publish' || ($post->post_type === 'attachment' && $post->post_status === 'inherit');
}

/** Of content that has no page of its own: what the administration changes may be part of any page. */
function changed_part(\WP_Post $post): bool
{
	if (in_array($post->post_type, HIDDEN_TYPES, true)) return true;
	if (is_post_type_viewable($post->post_type)) return false;
	if (is_public($post) && (is_administration() || wp_doing_cron())) changed_all();
	return true;
}

/** Whether what is around a post changes with it: which lists it is in, and where. */
function has_moved(?\WP_Post $before, \WP_Post $post): bool
{
	if ($before === null || is_public($before) !== is_public($post)) return true;
	foreach (['post_date', 'post_author', 'post_type', 'post_password'] as $field)
		if ($before->$field !== $post->$field) return true;
	return false;
}

/** Archives that a post is in, by the terms that it has now, and lists of those. @return string[] */
function archives_of(\WP_Post $post): array
{
	$tags = ['in-author-' . $post->post_author, 'in-date', 'in-type-' . $post->post_type, 'feed'];
	foreach ([4, 6, 8] as $digits) $tags[] = 'in-date-' . substr(preg_replace('/\D/', '', $post->post_date), 0, $digits);
	if ($post->post_type === 'post') $tags[] = 'home';
	foreach (get_object_taxonomies($post->post_type) as $taxonomy) {
		$terms = wp_get_object_terms($post->ID, $taxonomy);
		if (is_wp_error($terms)) continue;
		if ($terms) $tags[] = 'counts-' . $taxonomy;
		foreach ($terms as $term) {
			array_push($tags, ...archives_of_term($term->term_id, $taxonomy));
			// The first post brings the term into lists, the last one takes it away.
			if ($term->count <= 1 || wp_defer_term_counting()) $tags[] = 'terms-' . $taxonomy;
		}
	}
	return $tags;
}

/** @return string[] of a term and those above it, whose archives show the same posts. */
function archives_of_term(int $id, string $taxonomy): array
{
	$tags = ['in-term-' . $id];
	foreach (is_taxonomy_hierarchical($taxonomy) ? get_ancestors($id, $taxonomy, 'taxonomy') : [] as $above)
		$tags[] = 'in-term-' . $above;
	return $tags;
}

/** Posts that show a post as the one before or behind them. @return string[] */
function neighbours_of(\WP_Post $post): array
{
	global $wpdb;
	$tags = [];
	foreach ([['<', 'DESC'], ['>', 'ASC']] as [$than, $order]) {
		$id = $wpdb->get_var($wpdb->prepare(
			"SELECT ID FROM $wpdb->posts WHERE post_type = %s AND post_status = 'publish' AND ID <> %d
				AND post_date $than= %s ORDER BY post_date $order LIMIT 1",
			$post->post_type, $post->ID, $post->post_date
		));
		if ($id) $tags[] = 'post-' . $id;
	}
	return $tags;
}

function changed_post(\WP_Post $post, ?\WP_Post $before): void
{
	if (changed_part($post)) return;
	if (!is_public($post) && ($before === null || !is_public($before))) {
		// Nobody has seen it: that is told as well, or everything would be made new to be sure.
		changed();
		return;
	}
	$isParent = is_post_type_hierarchical($post->post_type) && $before !== null;
	if ($isParent && ($before->post_name !== $post->post_name || $before->post_parent !== $post->post_parent)) {
		// The addresses of all that is below it.
		changed_all();
		return;
	}
	$tags = ['post-' . $post->ID, 'any-' . $post->post_type, 'any-any'];
	if (has_moved($before, $post)) {
		array_push($tags, 'list-' . $post->post_type, 'list-any', ...archives_of($post), ...neighbours_of($post));
		if ($before !== null) array_push($tags, ...archives_of($before), ...neighbours_of($before));
	}
	changed(...$tags);
}

add_action('pre_post_update', function ($id): void {
	$post = get_post($id);
	if ($post) State::$before[tag((string) $id)] ??= clone $post;
}, 1);
add_action('wp_after_insert_post', function ($id, $post, $update, $before): void {
	changed_post($post, State::$before[tag((string) $id)] ?? ($update ? $before : null));
	unset(State::$before[tag((string) $id)]);
}, 10, 4);
// Also without the whole way of saving: a scheduled post, one that is trashed, plugins of their own.
add_action('transition_post_status', function ($new, $old, $post): void {
	if ($new === $old) return;
	$before = State::$before[tag((string) $post->ID)] ?? clone $post;
	$before->post_status = $old;
	changed_post($post, $before);
}, 10, 3);
add_action('before_delete_post', function ($id): void {
	$post = get_post($id);
	if (!$post) return;
	$after = clone $post;
	$after->post_status = 'trash';
	changed_post($after, $post);
});
foreach (['add_attachment', 'edit_attachment', 'delete_attachment'] as $action)
	add_action($action, function ($id): void {
		$post = get_post($id);
		if ($post) changed('post-' . $id, 'any-attachment', 'list-attachment', 'in-author-' . $post->post_author, 'post-' . $post->post_parent);
	});

foreach (['added', 'updated', 'deleted'] as $done)
	add_action("{$done}_post_meta", function ($meta, $id, $key): void {
		if (preg_match(QUIET_FIELDS, (string) $key)) return;
		$post = get_post($id);
		// Visitors' requests note how often a post was seen, and the like.
		if (!$post || !is_public($post) || !(is_administration() || wp_doing_cron())) return;
		if (!changed_part($post)) changed('post-' . $id, 'any-' . $post->post_type, 'any-any');
	}, 10, 3);

add_action('set_object_terms', function ($id, $terms, $ids, $taxonomy, $append, $before): void {
	$post = get_post($id);
	if (!$post || !is_public($post)) return;
	$ids = array_map('intval', $ids);
	$before = array_map('intval', $before);
	$other = [...array_diff($ids, $before), ...($append ? [] : array_diff($before, $ids))];
	if (!$other) return;
	$tags = ['post-' . $id, 'any-' . $post->post_type, 'any-any', 'counts-' . $taxonomy, 'terms-' . $taxonomy];
	foreach ($other as $term) {
		$found = get_term_by('term_taxonomy_id', $term, $taxonomy);
		if ($found) array_push($tags, ...archives_of_term($found->term_id, $taxonomy));
	}
	changed(...$tags);
}, 10, 6);
add_action('deleted_term_relationships', function ($id, $terms, $taxonomy): void {
	$post = get_post($id);
	if (!$post || !is_public($post)) return;
	$tags = ['post-' . $id, 'counts-' . $taxonomy, 'terms-' . $taxonomy];
	foreach ($terms as $term) {
		$found = get_term_by('term_taxonomy_id', $term, $taxonomy);
		if ($found) array_push($tags, ...archives_of_term($found->term_id, $taxonomy));
	}
	changed(...$tags);
}, 10, 3);

foreach (['created_term', 'edited_term', 'delete_term'] as $action)
	add_action($action, function ($id, $tt, $taxonomy): void {
		if ($taxonomy === 'nav_menu' || $taxonomy === 'wp_theme') changed_all();
		else changed('term-' . $id, 'in-term-' . $id, 'terms-' . $taxonomy);
	}, 10, 3);

/** A comment that is seen, or was. */
function changed_comment(int $id): void
{
	$comment = get_comment($id);
	if ($comment) changed('post-' . $comment->comment_post_ID, 'comments', ...comment_counts($comment));
}
/** @return string[] lists that may be in the order of how much is said. */
function comment_counts(\WP_Comment $comment): array
{
	return ['any-' . (get_post_type((int) $comment->comment_post_ID) ?: 'post'), 'any-any'];
}
add_action('wp_insert_comment', function ($id, $comment): void {
	if ((string) $comment->comment_approved === '1') changed_comment((int) $id);
	else changed();
}, 10, 2);
add_action('edit_comment', fn ($id) => changed_comment((int) $id));
add_action('transition_comment_status', function ($new, $old, $comment): void {
	if ($new === 'approved' || $old === 'approved') changed_comment((int) $comment->comment_ID);
	else changed();
}, 10, 3);
add_action('delete_comment', function ($id, $comment): void {
	if ((string) $comment->comment_approved === '1') changed_comment((int) $id);
	else changed();
}, 10, 2);

add_action('profile_update', function ($id, $before): void {
	$user = get_userdata($id);
	foreach (['display_name', 'user_nicename', 'user_url', 'user_email'] as $field)
		if ($user && $before->$field !== $user->$field) {
			changed('author-' . $id, 'in-author-' . $id);
			return;
		}
}, 10, 2);
add_action('updated_user_meta', function ($meta, $id, $key): void {
	if (in_array($key, ['description', 'nickname', 'first_name', 'last_name'], true)) changed('author-' . $id, 'in-author-' . $id);
}, 10, 3);
add_action('deleted_user', fn () => changed_all());

foreach ([
	'switch_theme', 'activated_plugin', 'deactivated_plugin', 'upgrader_process_complete', 'customize_save_after',
	'wp_update_nav_menu', 'wp_delete_nav_menu', 'permalink_structure_changed',
] as $action) add_action($action, fn () => changed_all());

// Stock changes with the order of a customer, who is no administrator.
foreach (['woocommerce_product_set_stock', 'woocommerce_variation_set_stock'] as $action)
	add_action($action, function ($product): void {
		$id = is_object($product) && method_exists($product, 'get_id') ? (int) $product->get_id() : 0;
		$parent = is_object($product) && method_exists($product, 'get_parent_id') ? (int) $product->get_parent_id() : 0;
		changed('post-' . $id, 'any-product', ...($parent ? ['post-' . $parent] : []));
	});

function changed_option(string $name): void
{
	if (in_array($name, QUIET_OPTIONS, true)) return;
	if (preg_match('/^_?(?:site_)?transient_|^_(?:site_)?transient|\.lock$|_lock$|_children$|^auto_core_update/', $name)) return;
	$isShown = in_array($name, SHOWN_OPTIONS, true) || preg_match('/^(?:widget_|theme_mods_)/', $name);
	if ($isShown || is_administration()) changed_all();
}
foreach (['added_option', 'updated_option', 'deleted_option'] as $action)
	add_action($action, fn ($name) => changed_option((string) $name));

// How it is told

/** With the head, as long as that is not sent; the last one counts. */
function tell(): void
{
	if (!isset($_SERVER['PAGE_CACHE_PURGE']) || headers_sent()) return;
	$host = host();
	$asked = strtolower(preg_replace('/:\d+$/', '', (string) ($_SERVER['HTTP_HOST'] ?? '')));
	if ($asked !== $host && !is_multisite()) $asked = $host;
	if ($asked !== $host) return;
	header('X-Cache-Purge: only, ' . order_of($host));
}

function order_of(string $host): string
{
	if (isset(State::$all[$host])) return is_multisite() ? tag('all') : '*';
	return implode(' ', array_keys(State::$old[$host] ?? []));
}

/** Where the cache hears of what no answer can tell; null: nowhere is known. */
function address(): ?string
{
	if (isset($_SERVER['PAGE_CACHE_PURGE'])) return $_SERVER['PAGE_CACHE_PURGE'];
	$kept = get_option('berth_cache');
	return is_array($kept) ? ($kept['address'] ?? null) : null;
}

/** By a request of the method PURGE, which only processes of this account may send. */
function purge_by_request(string $host, string $order): bool
{
	$address = address();
	if ($address === null || !preg_match('#^(https?)://(\S+)$#', $address, $parts)) return false;
	$scheme = $parts[1] === 'https' ? 'tls' : 'tcp';
	// The machine's own address: nobody else answers there, and the certificate is for another name.
	$context = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false, 'peer_name' => $host]]);
	$socket = @stream_socket_client("$scheme://$parts[2]", $code, $error, 3, STREAM_CLIENT_CONNECT, $context);
	if (!$socket) return false;
	stream_set_timeout($socket, 5);
	fwrite($socket, "PURGE / HTTP/1.1\r\nHost: $host\r\nX-Cache-Purge: $order\r\nConnection: close\r\n\r\n");
	$status = (string) fgets($socket, 64);
	fclose($socket);
	return strpos($status, ' 200 ') !== false;
}

register_shutdown_function(function (): void {
	if (!is_behind_berth() || !function_exists('wp_parse_url') || !did_action('muplugins_loaded')) return;
	$told = sent_order();
	$own = host();
	$hosts = array_unique([...array_keys(State::$old), ...array_keys(State::$all)]);
	foreach ($hosts as $host) {
		$order = order_of($host);
		if ($order === '' || ($host === $own && $order === $told)) continue;
		// Nowhere to say it, or nobody there: the next answer says it.
		if (!purge_by_request($host, $order)) update_option('berth_cache_waiting', '1');
	}
});

/** What the head of this answer asked for, if that was sent with it. */
function sent_order(): ?string
{
	// What ended its answer ahead of its work (scheduled tasks) can say nothing in its head.
	if (PHP_SAPI === 'cli' || wp_doing_cron()) return null;
	foreach (headers_list() as $line)
		if (stripos($line, 'X-Cache-Purge: only, ') === 0) return substr($line, strlen('X-Cache-Purge: only, '));
	return null;
}

// The address of the cache, for scheduled tasks; and pages of before this plugin have no tags.
add_action('init', function (): void {
	if (!isset($_SERVER['PAGE_CACHE_PURGE'])) return;
	if (get_option('berth_cache_waiting')) {
		changed_all();
		delete_option('berth_cache_waiting');
	}
	$kept = get_option('berth_cache');
	$now = ['edition' => EDITION, 'address' => $_SERVER['PAGE_CACHE_PURGE']];
	$isNew = !is_array($kept) || ($kept['edition'] ?? 0) !== EDITION;
	if ($isNew) changed_all();
	if ($isNew || (is_administration() && ($kept['address'] ?? '') !== $now['address'])) update_option('berth_cache', $now);
});

// The bar of WordPress

add_action('admin_bar_menu', function (\WP_Admin_Bar $bar): void {
	if (!isset($_SERVER['PAGE_CACHE_PURGE']) || !current_user_can('publish_pages')) return;
	[$title, $page, $all] = strpos(get_user_locale(), 'de') === 0
		? ['Seiten-Cache', 'Diese Seite erneuern', 'Alle Seiten erneuern']
		: ['Page cache', 'Renew this page', 'Renew all pages'];
	if (preg_match('#^(\d+)/(\d+)$#', $_SERVER['PAGE_CACHE_HITS'] ?? '', $parts) && $parts[2] > 0)
		$title .= ' ' . round(100 * $parts[1] / $parts[2]) . '%';
	$bar->add_node(['id' => 'berth-cache', 'title' => esc_html($title)]);
	$link = fn (string $what): string => wp_nonce_url(admin_url('admin-post.php?action=berth_cache_purge&what=' . $what), 'berth_cache_purge');
	if (!is_admin()) {
		$here = $link('page') . '&path=' . rawurlencode((string) wp_parse_url($_SERVER['REQUEST_URI'] ?? '/', PHP_URL_PATH));
		$bar->add_node(['id' => 'berth-cache-page', 'parent' => 'berth-cache', 'title' => $page, 'href' => $here]);
	}
	$bar->add_node(['id' => 'berth-cache-all', 'parent' => 'berth-cache', 'title' => $all, 'href' => $link('all')]);
}, 90);

add_action('admin_post_berth_cache_purge', function (): void {
	check_admin_referer('berth_cache_purge');
	if (!current_user_can('publish_pages')) wp_die('', '', ['response' => 403]);
	$path = (string) ($_GET['path'] ?? '/');
	// One path of this site, nothing else of the field's grammar.
	$isPath = ($_GET['what'] ?? '') === 'page' && preg_match('#^/[^\s,;*]{0,1000}$#', $path);
	if ($isPath) header('X-Cache-Purge: only, ' . preg_replace('/~s(?:tale)?$/i', '', $path));
	else changed_all();
	wp_safe_redirect($isPath ? home_url($path) : (wp_get_referer() ?: admin_url()));
	exit;
});
