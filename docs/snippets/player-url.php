<?php
// PHP 8 with the curl extension.
function playerUrl(string $videoId): string
{
    $request = curl_init(getenv('REELGATE_URL') . "/v1/video/$videoId/playback-token");
    curl_setopt_array($request, [
        CURLOPT_POST => true,
        CURLOPT_POSTFIELDS => '',
        CURLOPT_HTTPHEADER => ['x-service-key: ' . getenv('REELGATE_API_KEY')],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
    ]);
    $body = curl_exec($request);
    if ($body === false) {
        throw new RuntimeException(curl_error($request));
    }
    $response = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    if (!$response['success']) {
        $error = $response['error'];
        throw new RuntimeException("{$error['code']}: {$error['message']} ({$error['requestId']})");
    }
    return $response['data']['playerUrl'];
}

echo playerUrl(getenv('VIDEO_ID')), "\n";
