// Go 1.18 or later, without modules.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

type tokenResponse struct {
	Success bool
	Data    struct{ PlayerURL string }
	Error   struct{ Code, Message, RequestID string }
}

var client = &http.Client{Timeout: 10 * time.Second}

func playerURL(videoID string) (string, error) {
	address := os.Getenv("REELGATE_URL") + "/v1/video/" + videoID + "/playback-token"
	request, err := http.NewRequest(http.MethodPost, address, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("x-service-key", os.Getenv("REELGATE_API_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var body tokenResponse
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return "", err
	}
	if !body.Success {
		return "", fmt.Errorf("%s: %s (%s)", body.Error.Code, body.Error.Message, body.Error.RequestID)
	}
	return body.Data.PlayerURL, nil
}

func main() {
	url, err := playerURL(os.Getenv("VIDEO_ID"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(url)
}
