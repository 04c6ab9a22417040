// Package msk finds the credentials of Amazon MSK. It stands apart, so that only the program links AWS's SDK.
package msk

import (
	"cmp"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/twmb/franz-go/pkg/sasl/aws"
)

// Credentials are what AWS's own chain finds: environment, shared files, SSO, the web identity of a pod (IRSA), ECS
// and EC2. Options are those of IAMLoginModule (aws-msk-iam-auth): awsProfileName, awsRoleArn, awsRoleSessionName,
// awsStsRegion.
func Credentials(ctx context.Context, options map[string]string) (aws.Auth, error) {
	var load []func(*config.LoadOptions) error
	if profile := options["awsProfileName"]; profile != "" {
		load = append(load, config.WithSharedConfigProfile(profile))
	}
	found, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return aws.Auth{}, err
	}
	provider := found.Credentials
	if role := options["awsRoleArn"]; role != "" {
		provider = stscreds.NewAssumeRoleProvider(sts.NewFromConfig(found, func(o *sts.Options) {
			o.Region = cmp.Or(options["awsStsRegion"], o.Region)
		}), role, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = cmp.Or(options["awsRoleSessionName"], "tidemark")
		})
	}
	if provider == nil {
		return aws.Auth{}, errors.New("the chain is empty")
	}
	c, err := provider.Retrieve(ctx)
	return aws.Auth{AccessKey: c.AccessKeyID, SecretKey: c.SecretAccessKey, SessionToken: c.SessionToken}, err
}
